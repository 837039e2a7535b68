"""Loops run as often as the reference interpreter runs them: XLA infers no wrong trip count."""

import itertools
import operator as op
import random
import subprocess
import sys

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import numpy_dtype
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.framework.walk import find
from anvl.runtime import compile as compiled
from anvl.runtime import put

DTYPES = ("i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64")
_INTERPRETER = """
import sys
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir, stablehlo
for text in sys.stdin.read().split("// -----"):
    with context(), ir.Location.unknown():
        zero = ir.DenseElementsAttr.get_splat(
            ir.RankedTensorType.get([], ir.IntegerType.get_signless(64)),
            ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0),
        )
        (found,) = stablehlo.eval_module(ir.Module.parse(text), [zero])
        print(*found)
"""


def interpreted(*texts):
    """What the reference interpreter makes of programs of one i64, which is 0."""
    # In a process of its own, as it ends that for ops that it lacks.
    run = [sys.executable, "-c", _INTERPRETER]
    done = subprocess.run(run, input="// -----".join(texts), text=True, capture_output=True)
    assert not done.returncode, done.stderr
    return [np.array([float(n) for n in line.split()]) for line in done.stdout.splitlines()]


def limits(dtype):
    bits = int(dtype.lstrip("ui"))
    return (0, 2**bits - 1) if "u" in dtype else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


COMPARED = {"LT": op.lt, "LE": op.le, "GT": op.gt, "GE": op.ge, "NE": op.ne}
UPDATED = {"add": op.add, "subtract": op.sub}


def count(dtype, case, most=300):
    """How many steps a loop makes, with Python's integers; None for many."""
    i, update, by, direction, bound, flipped = case
    low, high = limits(dtype)
    for n in range(most):
        x, y = (bound, i) if flipped else (i, bound)
        if not COMPARED[direction](x, y):
            return n
        i = (UPDATED[update](i, by) - low) % (high - low + 1) + low
    return None


def loops_of(dtype):
    """Loops that end soon: of starts and bounds near 0 and near the ends of the dtype."""
    low, high = limits(dtype)
    ends = [n for n in (0, 1, 3, 7, high, high - 5, low + 4, -1, -5, low) if low <= n <= high]
    steps = [n for n in (1, 2, 3, high, -1, -2) if low <= n <= high]
    rows = itertools.product(ends, UPDATED, steps, COMPARED, ends, (False, True))
    cases = random.Random(dtype).sample(list(rows), 60)
    return [case for case in cases if count(dtype, case) is not None][:10]


#: Loops that XLA (jaxlib 0.10.2) reads wrongly as they are, one for each of its mistakes.
MISREAD = [
    ("ui32", (5, "subtract", 1, "GT", 0, False)),  # an unsigned step down
    ("ui64", (5, "subtract", 1, "GT", 0, False)),  # ends the process
    ("ui64", (5, "subtract", 1, "NE", 0, False)),
    ("ui8", (254, "subtract", 2, "LE", 5, False)),  # of no step
    ("i8", (122, "add", 1, "GE", 5, False)),  # wraps
    ("i8", (7, "add", 127, "LE", 126, False)),
    ("i8", (7, "subtract", -2, "LE", 3, True)),
    ("i32", (-1, "add", 3, "LT", 1, False)),  # distances that are no multiple of the step
    ("i32", (0, "add", 2, "LT", 1, False)),
    ("i32", (1, "add", 2, "LE", 0, False)),
    ("i64", (-5, "add", 3, "LT", -1, False)),
]


def loop(n, dtype, case, traced=False, carried=False):
    """The text of the n-th loop; with `traced`, from a number that XLA does not know."""
    start, update, by, direction, bound, flipped = case
    x, y = ("%e", "%i") if flipped else ("%i", "%e")
    of = f"tensor<{dtype}>"
    types = f"{of}, tensor<i64>, {of}, {of}"
    first = "%t" if traced else "%s"
    names = ("%b", "%e") if carried else ("%bb", "%ee")
    return f"""
  %s{n} = stablehlo.constant dense<{start}> : {of}
  %a{n} = stablehlo.convert %a : (tensor<i64>) -> {of}
  %t{n} = stablehlo.add %s{n}, %a{n} : {of}
  %b{n} = stablehlo.constant dense<{by}> : {of}
  %e{n} = stablehlo.constant dense<{bound}> : {of}
  %r{n}:4 = stablehlo.while(
      %i = {first}{n}, %n = %zero, {names[0]} = %b{n}, {names[1]} = %e{n}) : {types}
  cond {{
    {"" if carried else f"%e = stablehlo.constant dense<{bound}> : {of}"}
    %c = stablehlo.compare {direction}, {x}, {y} : ({of}, {of}) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    {"" if carried else f"%b = stablehlo.constant dense<{by}> : {of}"}
    %j = stablehlo.{update} %i, %b : {of}
    %m = stablehlo.add %n, %one : tensor<i64>
    stablehlo.return %j, %m, {names[0]}, {names[1]} : {types}
  }}
  %x{n} = stablehlo.convert %r{n}#0 : ({of}) -> tensor<i64>
  %p{n} = stablehlo.reshape %x{n} : (tensor<i64>) -> tensor<1xi64>
  %q{n} = stablehlo.reshape %r{n}#1 : (tensor<i64>) -> tensor<1xi64>"""


#: Steps in other forms, of an i32 %i to the next, %j; %u, %w are 1 and 2.
ODD = [
    "%j = stablehlo.add %i, %i : tensor<i32>",
    "%k = stablehlo.xor %i, %u : tensor<i32> \n %j = stablehlo.add %k, %w : tensor<i32>",
    "%k = stablehlo.negate %i : tensor<i32> \n %j = stablehlo.subtract %w, %k : tensor<i32>",
    "%k = stablehlo.add %u, %u : tensor<i32> \n %j = stablehlo.add %k, %i : tensor<i32>",
]


def odd_loop(n, update):
    """The text of a loop `while (!(i >= 8))`, from 1."""
    return f"""
  %r{n}:2 = stablehlo.while(%i = %u, %n = %zero) : tensor<i32>, tensor<i64>
  cond {{
    %c = stablehlo.compare GE, %i, %v : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %d = stablehlo.not %c : tensor<i1>
    stablehlo.return %d : tensor<i1>
  }} do {{
    {update}
    %m = stablehlo.add %n, %one : tensor<i64>
    stablehlo.return %j, %m : tensor<i32>, tensor<i64>
  }}
  %x{n} = stablehlo.convert %r{n}#0 : (tensor<i32>) -> tensor<i64>
  %p{n} = stablehlo.reshape %x{n} : (tensor<i64>) -> tensor<1xi64>
  %q{n} = stablehlo.reshape %r{n}#1 : (tensor<i64>) -> tensor<1xi64>"""


def program(parts):
    names = [f"%{k}{n}" for n in range(len(parts)) for k in "pq"]
    types = ", ".join(["tensor<1xi64>"] * len(names))
    return f"""func.func @main(%a: tensor<i64>) -> tensor<{len(names)}xi64> {{
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %u = stablehlo.constant dense<1> : tensor<i32>
  %w = stablehlo.constant dense<2> : tensor<i32>
  %v = stablehlo.constant dense<8> : tensor<i32>{"".join(parts)}
  %all = stablehlo.concatenate {", ".join(names)}, dim = 0 : ({types}) -> tensor<{len(names)}xi64>
  return %all : tensor<{len(names)}xi64>
}}"""


def lowered(text):
    with context():
        module = ir.Module.parse(text)
    Pipeline(["anvl-lower-to-stablehlo"]).run(module)
    return module


@pytest.mark.sweep(keep=0, part=0)
def test_xla_runs_loops_as_the_interpreter_does():
    drawn = [(dtype, case) for dtype in DTYPES for case in loops_of(dtype)]
    table = [*drawn, *MISREAD]
    forms = [{}, {"traced": True}, {"carried": True}]
    given = [*(forms[n % 3] for n in range(len(drawn))), *({} for _ in MISREAD)]
    parts = [loop(n, *row, **form) for n, (row, form) in enumerate(zip(table, given, strict=True))]
    parts += [odd_loop(n, update) for n, update in enumerate(ODD, len(parts))]
    text = program(parts)
    module = lowered(text)
    expected, after = interpreted(text, str(module))
    np.testing.assert_array_equal(after, expected)
    counts = [count(*row) for row in table]
    np.testing.assert_array_equal(expected[1 : 2 * len(table) : 2], counts)
    (found,) = compiled(str(module)).execute([put(np.int64(0))])
    same = (np.asarray(found) == expected).reshape(-1, 2).all(axis=1)
    assert not [row for row, is_same in zip([*table, *ODD], same, strict=True) if not is_same]


def shrinking(dtype, start, by):
    """x * 1.01 for each step of a counter down to 0."""

    def f(start, x):
        return anvl.while_loop(
            lambda c: c[0] > dtype(0), lambda c: (c[0] - dtype(by), c[1] * 1.01), (start, x)
        )[1]

    return (lambda x: f(dtype(start), x)), f


@pytest.mark.sweep(keep=0)
def test_counters_of_all_dtypes_have_derivatives():
    rows = [(numpy_dtype(name).type, *((5, 1), (6, 2))[k % 2]) for k, name in enumerate(DTYPES)]
    many = np.array([1.0, 2.0])

    @anvl.jit
    def all_of(start, x):
        found = []
        for dtype, first, by in rows:
            f, traced = shrinking(dtype, first, by)
            found += [f(x), anvl.grad(f)(x), anvl.jvp(f, (x,), (1.0,))[1], *anvl.vmap(f)(many)]
            found.append(traced(start.astype(dtype) + dtype(first), x))
        found += [*anvl.vmap(anvl.grad(shrinking(np.uint8, 5, 1)[0]))(many)]
        found.append(anvl.grad(lambda x: traced(start.astype(np.uint64) + np.uint64(6), x))(x))
        return anp.stack(found)

    found = np.asarray(all_of(np.int32(0), np.float64(1)))
    each = [1.01 ** (start // by) * np.array([1, 1, 1, 1, 2, 1]) for _, start, by in rows]
    expected = [*np.concatenate(each), 1.01**5, 1.01**5, 1.01**3]
    np.testing.assert_allclose(found, expected, rtol=rounding(PROGRAM))


def test_loops_that_are_read_rightly_stay_as_they_are():
    rows = {
        ("i32", (0, "add", 1, "LT", 100, False)): 4,
        ("i64", (0, "add", 1, "LE", 100, False)): 4,
        ("ui32", (0, "add", 1, "GT", 100, True)): 4,
        ("i32", (9, "subtract", 1, "GE", 0, False)): 4,
        ("i32", (0, "add", 3, "LT", 9, False)): 4,
        ("i32", (0, "add", 3, "LT", 10, False)): 5,
        ("ui32", (9, "subtract", 1, "GT", 0, False)): 5,
    }
    module = lowered(program([loop(n, *row) for n, row in enumerate(rows)]))
    found = [len(op.results) for op in find(module.operation, "stablehlo.while")]
    assert found == list(rows.values())
