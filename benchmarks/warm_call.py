"""(b) Calling a compiled function again: all the time is the call itself."""

import statistics
from collections.abc import Callable
from functools import partial, reduce
from operator import add
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import anvl
from anvl.captured.guard import make_guard
from anvl.captured.snapshot import snapshot
from measure import alternations, calls_in_turns, medians
from programs import agree
from rows import AtLeastAsFast, AtMost, Result, Row, WithinSpread
from sides import Side

COUNTS = {"full": (1, 4, 32, 200), "quick": (1, 4, 32, 200), "tiny": (1, 3)}
ROUNDS = {"full": 31, "quick": 9, "tiny": 2}

#: Shares of jax's time, by the number of arrays.
SHARES = {1: 0.95, 4: 0.85, 32: 0.7, 200: 0.55}

INCLUDED = (
    "the sum of 8x8 f32 arrays on the device, by a function with a parameter for each, compiled "
    "before; calls in a row, of which the last is waited for, in five groups of rounds: the median "
    "of the groups' least times, and the range of their anvl / jax; the floor is the execution "
    "alone, by jaxlib's `execute_sharded`; donated arguments are the results of the call before; "
    "then the time that a call takes longer than one of the same function which does not look for "
    "stale closures, its parts, and the search before a trace"
)


class Case(NamedTuple):
    """A function and its arguments, made for a side; with `feeds`, the results of the call before.

    `share` is the share of jax's time that it may take.
    """

    what: str
    make: Callable[[Side], tuple[Callable[..., Any], tuple[Any, ...]]]
    share: float | None = None
    feeds: bool = False


def run(sides: list[Side], scale: str) -> Result:
    result = Result("(b) warm jit call", INCLUDED)
    most = COUNTS[scale][-1]
    named = f"a dict of {most} arrays"
    cases = [Case(_plural(n), partial(_plain, n=n), SHARES.get(n)) for n in COUNTS[scale]]
    cases += [
        Case("1 array, donated", partial(_donated, n=None), 0.95, feeds=True),
        Case(named, partial(_dict, n=most), 0.95),
        Case(f"{named}, and one returned", partial(_dict_to_dict, n=most), 0.95),
        Case(f"{named}, donated, and one returned", partial(_donated, n=most), 0.95, feeds=True),
        Case("a dict of 3 arrays, and one returned", partial(_dict_to_dict, n=3)),
    ]
    result.rows += [_compared(case, sides, ROUNDS[scale]) for case in cases]
    result.rows += _policies(ROUNDS[scale])
    result.rows += _closures(ROUNDS[scale])
    return result


def _compared(case: Case, sides: list[Side], rounds: int) -> Row:
    """Time the calls of both sides, and the execution alone."""
    calls: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {}
    for side in sides:
        f, args = case.make(side)
        call = _feeding(f, *args) if case.feeds else partial(f, *args)
        calls[side.name] = call, lambda found, wait=side.wait: wait(_one(found))
        if side.name == "anvl":
            calls["floor"] = _floor(*case.make(side), case.feeds), _wait_for_buffers
    agree([anvl.tree.leaves(calls[side.name][0]()) for side in sides])
    times = alternations(calls, rounds)
    ours, jax, floor = times["anvl"], times.get("jax"), statistics.median(times["floor"])
    ratios = None if jax is None else [a / b for a, b in zip(ours, jax, strict=True)]
    return Row(
        case.what,
        "us",
        statistics.median(ours) * 1e6,
        None if jax is None else statistics.median(jax) * 1e6,
        None if case.share is None else WithinSpread(case.share),
        spread=None if ratios is None else (min(ratios), max(ratios)),
        floor=floor * 1e6,
    )


def _feeding(f: Callable[[Any], Any], x: Any) -> Callable[[], Any]:
    """Calls of f with what the call before returned."""

    def call() -> Any:
        nonlocal x
        x = f(x)
        return x

    return call


def _floor(f: Any, args: tuple[Any, ...], feeds: bool) -> Callable[[], Any]:
    """The execution of anvl's program alone."""
    executable = f.lower(*args).compile().executable
    buffers = [x.buffer for x in anvl.tree.leaves(args)]
    handlers = [kind.handler for kind in executable.out_types]
    execute = executable.handle.execute_sharded
    if feeds:
        return _feeding(lambda given: execute(given).consume_with_handlers(handlers), buffers)
    return lambda: execute(buffers).consume_with_handlers(handlers)


def _wait_for_buffers(buffers: list[Any]) -> None:
    buffers[0].block_until_ready()


def _one(found: Any) -> Any:
    """One of the results, which a program finishes together."""
    return next(iter(found.values())) if isinstance(found, dict) else found


def measured(what: str, make: Callable[[Side], Any], sides: list[Side], rounds: int) -> Row:
    """Time `f(*args)`, where `make(side)` gives f and args."""
    calls = {}
    for side in sides:
        f, args = make(side)
        calls[side.name] = (lambda f=f, args=args: f(*args)), side.wait
    agree([anvl.tree.leaves(call()) for call, _ in calls.values()])
    times = medians(calls_in_turns(calls, rounds))
    jax = times.get("jax")
    return Row(
        what, "us", times["anvl"] * 1e6, None if jax is None else jax * 1e6, AtLeastAsFast(1)
    )


def _functions() -> dict[str, tuple[Callable[..., Any], float]]:
    """Functions that close over something, and what a call may pay for it, in microseconds."""
    rate, model = 0.5, SimpleNamespace(scale=2.0, bias=1.0)
    a, b, c = (np.full(8, i, np.float32) for i in range(3))
    large, larger, largest = (np.full(1024, i, np.float32) for i in range(3))
    return {
        "nothing": (lambda x: x * 0.5 * 2.0 + 1.0, 0.05),
        "3 numbers": (lambda x: x * rate * model.scale + model.bias, 0.5),
        "3 NumPy arrays of 32 bytes": (lambda x: x + a + b + c, 0.5),
        "3 NumPy arrays of 4 kB": (lambda x: x + large + larger + largest, 0.5),
    }


def _policies(rounds: int) -> list[Row]:
    """Time that a call takes longer than one of the same function with the policy `off`."""
    rows = []
    for what, (f, limit) in _functions().items():
        x = anvl.numpy.zeros(1024 if "kB" in what else 8)
        looks, never = anvl.jit(f), anvl.jit(f, on_stale_closure="off")
        times = alternations(
            {"looks": (partial(looks, x), id), "off": (partial(never, x), id)}, rounds
        )
        added = [(a - b) * 1e6 for a, b in zip(times["looks"], times["off"], strict=True)]
        limits = AtMost(limit, "us", spread=True)
        spread = min(added), max(added)
        what = f"closing over {what}: added to a call"
        rows.append(Row(what, "us", statistics.median(added), None, limits, spread=spread))
    return rows


def _closures(rounds: int) -> list[Row]:
    """Time of the check that is a part of a call, and of the search before the first."""
    jobs: dict[str, Callable[[], Any]] = {}
    for what, (f, _) in _functions().items():
        guard = make_guard(snapshot(f).checks)
        if guard is not None:
            jobs[f"the check of {what}, as a part of a call"] = guard
            jobs[f"the search for {what}, before a trace"] = partial(_search, f)
    times = medians(calls_in_turns({what: (job, id) for what, job in jobs.items()}, rounds))
    limits = {what: 0.5 if "check" in what else 500 for what in jobs}
    return [
        Row(what, "us", times[what] * 1e6, None, AtMost(limit, "us"))
        for what, limit in limits.items()
    ]


def _search(f: Callable[..., Any]) -> Any:
    return make_guard(snapshot(f).checks)


def _plural(n: int) -> str:
    return "1 array" if n == 1 else f"{n} arrays"


def _arrays(side: Side, n: int) -> list[Any]:
    return [side.array(np.full((8, 8), i, np.float32)) for i in range(n)]


def _plain(side: Side, n: int) -> Any:
    f = side.jit(_sum_of(n))
    return f, tuple(_arrays(side, n))


def _sum_of(n: int) -> Callable[..., Any]:
    """The sum of n arrays and 1, as people write functions: with a name for each argument."""
    names = [f"x{i}" for i in range(n)]
    code = f"lambda {', '.join(names)}: {' + '.join([*names, '1.0'])}"
    return eval(code)  # type: ignore[no-any-return]


def _dict(side: Side, n: int) -> Any:
    f = side.jit(lambda xs: reduce(add, xs.values()))
    return f, (_named(_arrays(side, n)),)


def _dict_to_dict(side: Side, n: int) -> Any:
    f = side.jit(lambda xs: {name: x + 1.0 for name, x in xs.items()})
    return f, (_named(_arrays(side, n)),)


def _donated(side: Side, n: int | None) -> Any:
    """A function that adds 1 to an array, or a dict of n, which it takes the memory of."""
    if n is None:
        return side.jit(lambda x: x + 1.0, donate_argnums=0), tuple(_arrays(side, 1))
    f = side.jit(lambda xs: {name: x + 1.0 for name, x in xs.items()}, donate_argnums=0)
    return f, (_named(_arrays(side, n)),)


def _named(arrays: list[Any]) -> dict[str, Any]:
    return {f"w{i:03}": x for i, x in enumerate(arrays)}
