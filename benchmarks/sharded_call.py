"""(p) Calling a compiled function whose arrays lie over eight devices.

benchmarks/sharded_call.py jax      one side alone: times of the cases named on stdin
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from measure import no_garbage_collection
from rows import Result, Row, WithinSpread
from sides import Side

ROUNDS = {"full": 40, "quick": 10, "tiny": 1}
_GROUPS = 5
_CALLS = 15  # a round takes milliseconds, so that both sides see the same machine
_SHAPE = (8, 16)

INCLUDED = (
    "arrays f32[8,16] cut into 4 x 2 parts over 8 devices of one CPU, by functions compiled "
    "before; each side in a process of its own, in turns; a call until it returns, of which the "
    "least counts, or until its results are there where it says waited for, of which the median "
    "counts, as eight threads meet on the cores; the median of five pairs of processes, of which "
    "one may be a third faster than the next, and the range of their anvl / jax"
)

#: What a call may take in the time of jax's.
_SHARE = 1.0

#: Of each side, the seconds of a call, and of its thread's processor.
Times = dict[str, list[float]]
Put = Callable[..., Any]


def run(sides: list[Side], scale: str) -> Result:
    result = Result("(p) sharded call", INCLUDED)
    groups: dict[str, list[Times]] = {}
    for _ in range(_GROUPS):
        with ExitStack() as running:
            ask = {side.name: running.enter_context(_process(side.name)) for side in sides}
            for case in next(iter(ask.values()))(""):
                groups.setdefault(case, []).append(_group(ask, case, ROUNDS[scale]))
    result.rows = [_row(case, found) for case, found in groups.items()]
    return result


@contextmanager
def _process(side: str) -> Iterator[Callable[[str], Any]]:
    """A process of one side, and a function that asks it for the times of a case."""
    environment = {
        "ANVL_NUM_CPU_DEVICES": "8",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
    }
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve()), side],
        env=os.environ | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        given, taken = child.stdin, child.stdout
        assert given is not None and taken is not None

        def ask(case: str) -> Any:
            print(case, file=given, flush=True)
            line = taken.readline()
            if not line:
                raise RuntimeError(f"sharded_call: the process of {side} ended early")
            return json.loads(line)

        yield ask
        given.close()


def _group(ask: dict[str, Callable[[str], Any]], case: str, rounds: int) -> Times:
    """The least seconds of a call, or their median if waited for, and of its processor, by side."""
    found: dict[str, list[list[float]]] = {side: [] for side in ask}
    for i in range(rounds):
        for side in ask if i % 2 == 0 else reversed(ask):
            found[side].append(ask[side](case))
    of_all = statistics.median if _is_waited_for(case) else min
    return {side: [of_all(of) for of in zip(*times, strict=True)] for side, times in found.items()}


def _is_waited_for(case: str) -> bool:
    return case.endswith("waited for")


def _row(case: str, groups: list[Times]) -> Row:
    times = {
        side: [statistics.median(group[side][i] for group in groups) * 1e6 for i in (0, 1)]
        for side in groups[0]
    }
    jax = times.get("jax", [None])[0]
    ratios = None if jax is None else [group["anvl"][0] / group["jax"][0] for group in groups]
    return Row(
        case,
        "us",
        times["anvl"][0],
        jax,
        WithinSpread(_SHARE),
        details={"processor time in us": {side: of[1] for side, of in times.items()}},
        spread=None if ratios is None else (min(ratios), max(ratios)),
    )


# -- the process of one side -----------------------------------------------------------------------


def main(side: str) -> None:
    made = _of_anvl() if side == "anvl" else _of_jax()
    cases, wait = _cases(*made), made[-1]
    for call in cases.values():
        for _ in range(3):
            wait(call())
    with no_garbage_collection():
        for line in sys.stdin:
            case = line.strip()
            of_all = statistics.median if _is_waited_for(case) else min
            found = _times(cases[case], wait, of_all) if case else list(cases)
            print(json.dumps(found), flush=True)


def _of_anvl() -> tuple[Put, Any, Any]:
    import anvl
    from anvl.sharding import Mesh, Sharding

    mesh = Mesh({"x": 4, "y": 2})

    def put(x: Any, *spec: str) -> Any:
        return anvl.device_put(x, Sharding(mesh, spec))

    return put, anvl.jit, anvl.block_until_ready


def _of_jax() -> tuple[Put, Any, Any]:
    import jax
    from jax.sharding import AxisType, NamedSharding, PartitionSpec

    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)

    def put(x: Any, *spec: str) -> Any:
        return jax.device_put(x, NamedSharding(mesh, PartitionSpec(*spec)))

    return put, jax.jit, jax.block_until_ready


def _cases(put: Put, jit: Any, wait: Any) -> dict[str, Callable[[], Any]]:
    value = np.ones(_SHAPE, np.float32)
    xs = [put(value, "x", "y") for _ in range(8)]
    x, y = xs[:2]
    named = {f"p{i}": put(value, "x") for i in range(20)}
    one = jit(lambda x: x + 1)
    four = jit(lambda a, b, c, d: (a + b) * (c + d))
    eight = jit(lambda *xs: tuple(x + 1 for x in xs))
    tree = jit(lambda xs: {name: x + 1 for name, x in xs.items()})
    total = jit(lambda x: x - x.sum() * 1e-6)
    return {
        "1 array": lambda: one(x),
        "4 arrays": lambda: four(x, y, x, y),
        "8 arrays, and 8 returned": lambda: eight(*xs),
        "a dict of 20 arrays, and one returned": lambda: tree(named),
        "1 array, waited for": lambda: wait(one(x)),
        "1 array with an all-reduce, waited for": lambda: wait(total(x)),
    }


def _times(
    call: Callable[[], Any], wait: Callable[[Any], Any], of_all: Callable[[Any], float]
) -> list[float]:
    """The seconds of a call, and of this thread's processor: `of_all` of several calls."""
    taken = []
    for _ in range(_CALLS):
        begun, own = time.perf_counter(), time.thread_time()
        found = call()
        taken.append((time.perf_counter() - begun, time.thread_time() - own))
        wait(found)
    return [of_all(of) for of in zip(*taken, strict=True)]


if __name__ == "__main__":
    main(sys.argv[1])
