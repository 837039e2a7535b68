"""(b) Calling a compiled function again: all the time is the call itself."""

from collections.abc import Callable
from functools import partial, reduce
from operator import add
from types import SimpleNamespace
from typing import Any

import numpy as np

import anvl
from anvl.captured.guard import make_guard
from anvl.captured.snapshot import snapshot
from measure import calls_in_turns, medians
from programs import agree
from rows import AtLeastAsFast, AtMost, Result, Row
from sides import Side

COUNTS = {"full": (1, 4, 32, 200), "quick": (1, 4, 32, 200), "tiny": (1, 3)}
ROUNDS = {"full": 31, "quick": 9, "tiny": 2}

NOT_SLOWER = AtLeastAsFast(1)

INCLUDED = (
    "the sum of 8x8 f32 arrays on the device, by a function with a parameter for each, compiled "
    "before; calls in a row, of which the last is waited for; then the parts of a call that find "
    "stale closures, which a function that closes over nothing has not"
)

Case = tuple[str, Callable[[Side], tuple[Callable[..., Any], tuple[Any, ...]]]]


def run(sides: list[Side], scale: str) -> Result:
    result = Result("(b) warm jit call", INCLUDED)
    most = COUNTS[scale][-1]
    cases: list[Case] = [(_plural(n), lambda side, n=n: _plain(side, n)) for n in COUNTS[scale]]
    cases += [
        (f"a dict of {most} arrays", lambda side: _dict(side, most)),
        (f"a dict of {most} arrays, and one returned", lambda side: _dict_to_dict(side, most)),
    ]
    for what, make in cases:
        result.rows.append(measured(what, make, sides, ROUNDS[scale]))
    result.rows += _closures(ROUNDS[scale])
    return result


def measured(what: str, make: Callable[[Side], Any], sides: list[Side], rounds: int) -> Row:
    """Time `f(*args)`, where `make(side)` gives f and args."""
    calls = {}
    for side in sides:
        f, args = make(side)
        calls[side.name] = (lambda f=f, args=args: f(*args)), side.wait
    agree([anvl.tree.leaves(call()) for call, _ in calls.values()])
    times = medians(calls_in_turns(calls, rounds))
    jax = times.get("jax")
    return Row(what, "us", times["anvl"] * 1e6, None if jax is None else jax * 1e6, NOT_SLOWER)


def _closures(rounds: int) -> list[Row]:
    """Time that closed-over values add to a call, and to the first call."""
    rate, model = 0.5, SimpleNamespace(scale=2.0, bias=1.0)
    a, b, c = (np.full(8, i, np.float32) for i in range(3))
    large, larger, largest = (np.full(1024, i, np.float32) for i in range(3))
    of = {
        "3 closed-over numbers": lambda x: x * rate * model.scale + model.bias,
        "3 closed-over NumPy arrays of 32 bytes": lambda x: x + a + b + c,
        "3 closed-over NumPy arrays of 4 kB": lambda x: x + large + larger + largest,
    }
    jobs: dict[str, Callable[[], Any]] = {}
    for what, f in of.items():
        guard = make_guard(snapshot(f).checks)
        assert guard is not None
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


def _named(arrays: list[Any]) -> dict[str, Any]:
    return {f"w{i:03}": x for i, x in enumerate(arrays)}
