"""A run as text for the terminal, as JSON, and as the table of docs/performance.md."""

import json
import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rows import Result, Row

BEGIN, END = "<!-- the latest run: begin -->", "<!-- the latest run: end -->"

#: Where the tables of the suite stand, which has runs of its own.
SUITE_MARKS = "<!-- the suite: begin -->", "<!-- the suite: end -->"

_HEAD = ("", "anvl", "jax", "jax / anvl", "floor", "anvl / jax", "target", "verdict")
_SOME = ("floor", "anvl / jax")  # columns that only some tables have
_WIDTH = 100

Machine = dict[str, str]


def text(result: Result) -> str:
    """The table of one benchmark, aligned."""
    table = _table(result)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [_aligned(line, widths).rstrip() for line in table]
    lines.insert(1, "-" * len(_aligned(table[0], widths)))
    return "\n".join(
        [result.title, *_wrapped(f"Included: {result.included}."), "", *lines, *_below(result)]
    )


def _table(result: Result) -> list[tuple[str, ...]]:
    """The head and the rows, without the columns of `_SOME` that are empty."""
    if result.in_columns:
        return _in_columns(result.rows)
    lines = [_HEAD, *map(_cells, result.rows)]
    kept = [c for c in zip(*lines, strict=True) if c[0] not in _SOME or any(c[1:])]
    return list(zip(*kept, strict=True))


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.what,
        f"{_number(row.anvl)} {row.unit}".rstrip(),
        "" if row.jax is None else f"{_number(row.jax)} {row.unit}",
        "" if row.speedup is None else f"{row.speedup:.2f}",
        "" if row.floor is None else f"{_number(row.floor)} {row.unit}",
        "" if row.spread is None else " to ".join(map(_number, row.spread)),
        "" if row.target is None else str(row.target),
        row.verdict,
    )


def _number(x: float) -> str:
    """Three digits or a little more; counts as they are."""
    if abs(x) >= 100 or isinstance(x, int):
        return f"{x:,.0f}"
    return f"{x:.1f}" if abs(x) >= 10 else f"{x:.2f}"


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Text to the left, numbers to the right."""
    first, *numbers, target, verdict = cells
    w_first, *w_numbers, w_target, w_verdict = widths
    middle = "  ".join(cell.rjust(w) for cell, w in zip(numbers, w_numbers, strict=True))
    return f"  {first:{w_first}}  {middle}  {target:{w_target}}  {verdict:{w_verdict}}"


def _wrapped(sentence: str) -> list[str]:
    return textwrap.wrap(sentence, _WIDTH, initial_indent="  ", subsequent_indent="  ")


def _below(result: Result) -> list[str]:
    """The stages behind the totals, and the notes."""
    lines = []
    stages = list(_stage_lines(result))
    if stages:
        lines += ["", "  Microseconds an op, by stage:", *(f"    {line}" for line in stages)]
    for note in result.notes:
        lines += ["", *_wrapped(note)]
    return lines


def _stage_lines(result: Result) -> list[str]:
    found = [
        (f"{row.what}, {key.partition(' ')[0]}", stages)
        for row in result.rows
        for key, stages in row.details.items()
        if "stages" in key
    ]
    width = max((len(what) for what, _ in found), default=0)
    return [
        f"{what:{width}}  " + ", ".join(f"{stage} {_number(us)}" for stage, us in stages.items())
        for what, stages in found
    ]


def summary(results: Sequence[Result]) -> str:
    """How many targets were met, and which were not."""
    verdicts = [row.verdict for result in results for row in result.rows if row.target is not None]
    missed = [
        f"  {result.title}: {row.what}"
        for result in results
        for row in result.rows
        if row.verdict == "missed"
    ]
    met = sum(verdict.startswith("met") for verdict in verdicts)
    head = f"{met} of {len(verdicts)} targets met" + ("; missed:" if missed else "")
    return "\n".join([head, *missed])


def machine_text(machine: Machine) -> str:
    """One `name: value` a line."""
    width = max(map(len, machine))
    return "\n".join(f"  {name:{width}}  {value}" for name, value in machine.items())


# -- several measures of a program in one line -----------------------------------------------------


def _in_columns(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """The head, a line a program, and the geometric means of the parts of jax's time."""
    programs: dict[str, dict[str, Row]] = {}
    for row in rows:
        program, _, measure = row.what.partition(": ")
        programs.setdefault(program, {})[measure] = row
    measures = list(next(iter(programs.values()), {}))
    lines = [("", *measures, "target", "verdict")]
    for program, found in programs.items():
        judged = [row for row in found.values() if row.target is not None]
        target, verdict = (str(judged[0].target), judged[0].verdict) if judged else ("", "")
        lines.append((program, *map(_cell_of, found.values()), target, verdict))
    means = [_mean_of([found[measure] for found in programs.values()]) for measure in measures]
    if any(means):
        lines.append(("geometric mean", *means, "", ""))
    return lines


def _cell_of(row: Row) -> str:
    """`45.1 ms (0.92, 0.90 to 0.95)`: the median, its part of jax's, and the range of this."""
    own = f"{_number(row.anvl)} {row.unit}"
    if row.jax is None:
        return own
    ratio = _number(row.anvl / max(row.jax, 1e-12))
    spread = "" if row.spread is None else f", {' to '.join(map(_number, row.spread))}"
    return f"{own} ({ratio}{spread})"


def _mean_of(rows: Sequence[Row]) -> str:
    ratios = [row.anvl / row.jax for row in rows if row.jax]
    if len(ratios) < len(rows) or not all(ratio > 0 for ratio in ratios):
        return ""
    return f"({math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f})"


# -- files -----------------------------------------------------------------------------------------


def write_json(path: Path, machine: Machine, scale: str, results: Sequence[Result]) -> None:
    """The run, with every number that the tables show and those behind them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    run: dict[str, Any] = {
        "machine": machine,
        "scale": scale,
        "results": [result.as_json() for result in results],
    }
    path.write_text(json.dumps(run, indent=1) + "\n")


def write_docs(path: Path, machine: Machine, results: Sequence[Result]) -> None:
    """Put the run between the marks of the document, and programs in lines between their own."""
    for chosen, marks in (
        ([r for r in results if not r.in_columns], (BEGIN, END)),
        ([r for r in results if r.in_columns], SUITE_MARKS),
    ):
        if chosen:
            _write_between(path, machine, chosen, *marks)


def _write_between(
    path: Path, machine: Machine, results: Sequence[Result], mark: str, end_mark: str
) -> None:
    before, begin, rest = path.read_text().partition(mark)
    _, end, after = rest.partition(end_mark)
    if not begin or not end:
        raise ValueError(
            f"{path.name}: lacks {mark} or {end_mark}, between which the run is written"
        )
    path.write_text(f"{before}{mark}\n\n{markdown(machine, results)}\n\n{end_mark}{after}")


def markdown(machine: Machine, results: Sequence[Result]) -> str:
    """The run as Markdown."""
    about = "; ".join(f"{name} {value}" for name, value in machine.items())
    lines = [*textwrap.wrap(f"{about}.", _WIDTH), "", f"**{summary(results).splitlines()[0]}**"]
    for result in results:
        lines += ["", f"### {result.title}", "", *_markdown_table(result)]
        for note in result.notes:
            lines += ["", *textwrap.wrap(note, _WIDTH)]
        stages = _stage_lines(result)
        if stages:
            lines += ["", "Microseconds an op, by stage:", "", "```text", *stages, "```"]
    return "\n".join(lines).replace("met; missed:", "met")


def _markdown_table(result: Result) -> list[str]:
    head, *rows = _table(result)
    rules = ["---", *["--:"] * (len(head) - 3), "---", "---"]
    lines = [head, rules, *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]
