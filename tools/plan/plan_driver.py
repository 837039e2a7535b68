"""Plan a file: write each plan's shardings, compile, predict, and print."""

import json
from dataclasses import asdict, dataclass

from anvl.dialect.core.context import context
from anvl.dialect.text.parsing import parsed
from anvl.tools.io.bytecode import checked
from anvl.tools.io.diagnostics import collected
from anvl.tools.io.source import InputError, Source, read
from anvl.tools.plan.collectives import counted, listed
from anvl.tools.plan.plan_settings import Settings
from anvl.tools.plan.prediction import Prediction, predict
from anvl.tools.plan.simulated import compiled, devices_of, sharded
from anvl.tools.run.entry import lowered
from anvl.tools.run.reporting import diagnostic_of, say

__all__ = ["plan_file"]

_OWN = "as written"
_HEAD = ("plan", "devices", "compute", "traffic", "messages", "step", "memory", "")


@dataclass(frozen=True)
class _Planned:
    plan: str
    devices: int
    memory: int
    of: Prediction


def plan_file(settings: Settings) -> int:
    """Plan the program that the settings name; returns the exit code."""
    try:
        source = checked(read(settings.file), load=settings.load)
    except InputError as error:
        say(error.diagnostic)
        return 1
    found = []
    for plan in settings.plans or ("",):
        with collected(context(), source.name) as emitted:
            try:
                found.append(_planned(settings, source, plan))
            except Exception as error:
                say(diagnostic_of(error, emitted, source), source)
                return 1
    text = _json(settings, found) if settings.json else _table(settings, found)
    print(text)
    return 0


def _planned(settings: Settings, source: Source, plan: str) -> _Planned:
    module = parsed(source.content, source.name, context(), source.path)
    function = settings.function
    devices = sharded(module, plan, function) if plan else 0
    program = lowered(module, function, "cpu", "lapack")
    devices = devices or devices_of(program.text)
    found = compiled(program.text, devices)
    return _Planned(
        plan or _OWN, devices, found.memory, predict(found.program, settings.machine)
    )  # fmt: skip


def _table(settings: Settings, found: list[_Planned]) -> str:
    rows = [_HEAD, *(_row(settings, each) for each in found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            text.rjust(width) if 0 < i < len(_HEAD) - 1 else text.ljust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    if settings.collectives:
        for each in found:
            lines += ["", f"{each.plan}:", *(f"  {line}" for line in listed(each.of.collectives))]
    return "\n".join(lines)


def _row(settings: Settings, each: _Planned) -> tuple[str, ...]:
    of, room = each.of, settings.machine.memory_bytes
    notes = [] if each.memory <= room else [f"needs more than {_bytes(room)}"]
    if of.unknown_loops:
        notes.append(f"{counted(of.unknown_loops, 'loop')} of unknown length, counted once")
    times = (_seconds(x) for x in (of.compute, of.traffic, of.communication, of.step))
    return (each.plan, str(each.devices), *times, _bytes(each.memory), "; ".join(notes))


def _json(settings: Settings, found: list[_Planned]) -> str:
    plans = [
        {
            "plan": each.plan,
            "devices": each.devices,
            "memory_bytes": each.memory,
            "step_seconds": each.of.step,
            **asdict(each.of),
        }
        for each in found
    ]
    machine = {**vars(settings.machine), "flops_of": dict(settings.machine.flops_of)}
    return json.dumps({"machine": machine, "plans": plans}, indent=2)


def _seconds(x: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if x >= size:
            return f"{x / size:.3g} {unit}"
    return f"{x / 1e-9:.3g} ns" if x else "0"


def _bytes(x: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if x >= size:
            return f"{x / size:.3g} {unit}"
    return f"{x:.0f} B"
