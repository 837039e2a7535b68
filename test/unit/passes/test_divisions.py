"""No integer is divided by zero, whatever is found to be constant; the results are the docs'."""

import subprocess
import sys

import numpy as np
import pytest

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import numpy_dtype
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.lower_to_stablehlo import LowerToStablehlo

DTYPES = ("i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64")
ARGUMENT = [0, 1, 0, 7]  # %a; %z are zeros, %s is one of them

#: How a divisor %y comes about, and its elements.
DIVISORS = {
    "dense": ("%y = stablehlo.constant dense<[0, 1, 0, 3]> : {of}", [0, 1, 0, 3]),
    "splat": ("%y = stablehlo.constant dense<0> : {of}", [0] * 4),
    "broadcast": ("%y = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<{t}>) -> {of}", [0] * 4),
    "iota": ("%y = stablehlo.iota dim = 0 : {of}", [0, 1, 2, 3]),
    "difference": ("%y = stablehlo.subtract %a, %a : {of}", [0] * 4),
    "product": ("%y = stablehlo.multiply %a, %z : {of}", [0] * 4),
    "reshaped": (
        "%r = stablehlo.constant dense<[[0, 1], [2, 0]]> : tensor<2x2x{t}>\n"
        "%y = stablehlo.reshape %r : (tensor<2x2x{t}>) -> {of}",
        [0, 1, 2, 0],
    ),
    "converted": (
        "%r = stablehlo.constant dense<[0.0, 1.0, 0.5, 3.0]> : tensor<4xf32>\n"
        "%y = stablehlo.convert %r : (tensor<4xf32>) -> {of}",
        [0, 1, 0, 3],
    ),
    "chosen": (
        "%f = stablehlo.compare EQ, %a, %a : ({of}, {of}) -> tensor<4xi1>\n"
        "%y = stablehlo.select %f, %z, %a : tensor<4xi1>, {of}",
        [0] * 4,
    ),
    "bits": ("%y = stablehlo.popcnt %z : {of}", [0] * 4),  # XLA folds it, StableHLO does not
    "all bits": ("%y = stablehlo.not %z : {of}", [-1] * 4),  # the lowest by -1 has no quotient
    "argument": ("%y = stablehlo.add %a, %z : {of}", ARGUMENT),
}
DIVIDED = """
  %q = stablehlo.divide %x, %y : {of}
  %r = stablehlo.remainder %x, %y : {of}"""
IN_A_CALL = "%q, %r = func.call @divided_{t}(%x, %y) : ({of}, {of}) -> ({of}, {of})"
IN_A_BRANCH = """
  %c = stablehlo.constant dense<true> : tensor<i1>
  %q, %r = "stablehlo.if"(%c) ({{
    %0 = stablehlo.divide %x, %y : {of}
    %1 = stablehlo.remainder %x, %y : {of}
    stablehlo.return %0, %1 : {of}, {of}
  }}, {{
    stablehlo.return %x, %y : {of}, {of}
  }}) : (tensor<i1>) -> ({of}, {of})"""


def cases():
    """Where a division stands, and its divisor."""
    yield from ((DIVIDED, *row) for row in DIVISORS.values())
    yield from ((place, *DIVISORS["dense"]) for place in (IN_A_CALL, IN_A_BRANCH))


def dividend(dtype):
    info = np.iinfo(numpy_dtype(dtype))
    return np.array([info.min, 5, info.max, 7], info.dtype)


def program():
    """The text of a program of an i64, which gives all quotients and remainders."""
    functions, body, results = [], [], []
    for dtype in DTYPES:
        of = f"tensor<4x{dtype}>"
        body.append(f"%{dtype} = stablehlo.convert %a : (tensor<4xi64>) -> {of}")
        functions.append(
            f"func.func private @divided_{dtype}(%x: {of}, %y: {of}) -> ({of}, {of}) {{"
            f"{DIVIDED.format(of=of)}\n return %q, %r : {of}, {of} }}"
        )
        for i, (place, divisor, _) in enumerate(cases()):
            name = f"@f_{dtype}_{i}"
            functions.append(f"""
            func.func private {name}(%a: {of}) -> ({of}, {of}) {{
              %x = stablehlo.constant dense<{dividend(dtype).tolist()}> : {of}
              %z = stablehlo.constant dense<0> : {of}
              %s = stablehlo.constant dense<0> : tensor<{dtype}>
              {divisor.replace("%r", "%w").format(of=of, t=dtype)}
              {place.format(of=of, t=dtype)}
              return %q, %r : {of}, {of}
            }}""")
            y = f"%y_{dtype}_{i}"
            body.append(f"{y}:2 = call {name}(%{dtype}) : ({of}) -> ({of}, {of})")
            results += [(f"{y}#0", of), (f"{y}#1", of)]
    types = ", ".join(of for _, of in results)
    return "\n".join([
        *functions, f"func.func @main(%a: tensor<4xi64>) -> ({types}) {{", *body,
        f"return {', '.join(y for y, _ in results)} : {types} }}",
    ])  # fmt: skip


def expected():
    """The results, by the convention: x / 0 has all bits set, and leaves x."""
    with np.errstate(all="ignore"):
        for dtype in DTYPES:
            x = dividend(dtype)
            for _, _, elements in cases():
                y = np.array(elements).astype(x.dtype)
                safe = np.where(y == 0, y + 1, y)
                rest = np.fmod(x, safe)
                yield np.where(y == 0, ~np.zeros_like(y), (x - rest) // safe)
                yield np.where(y == 0, x, rest)


#: The program on XLA and on the reference interpreter: both would end the process.
_BOTH = """
import sys
import numpy as np
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir, stablehlo
from anvl.tools.run.entry import lowered
from anvl.tools.run.executors import execute
with context(), ir.Location.unknown():
    low = lowered(ir.Module.parse(sys.stdin.read()), "main")
    for y in execute(low, [np.array({argument}, low.arguments[0].dtype)]):
        print("plugin", *y)
    argument = ir.DenseElementsAttr.get(np.array({argument}))
    for y in stablehlo.eval_module(ir.Module.parse(low.text), [argument]):
        print("interpreted", *np.array(y))
"""


@pytest.mark.sweep(keep=0)
def test_xla_and_the_interpreter_divide_constants_by_zero():
    child = [sys.executable, "-c", _BOTH.format(argument=ARGUMENT)]
    done = subprocess.run(child, input=program(), text=True, capture_output=True)
    assert not done.returncode, f"status {done.returncode}: {done.stderr[-2000:]}"
    wanted = [y.tolist() for y in expected()]
    lines = [[int(n) for n in line.split()[1:]] for line in done.stdout.splitlines()]
    assert lines == wanted * 2


_OF_NOTHING = """
import numpy as np
import anvl
import anvl.numpy as anp
for dtype in ("int8", "uint32", "int64"):
    def f():
        x, zeros = anp.full((0, 3), 5, dtype), anp.zeros((0, 3), dtype)
        return x // zeros, x % zeros, anp.fmod(x, zeros), anvl.prim.div(x, zeros)
    print([np.shape(y) for y in anvl.jit(f)()])
"""


@pytest.mark.sweep(keep=0)
def test_no_integers_are_divided_by_a_zero_that_stands_for_none_of_them():
    """StableHLO's folder divides by what a splat of no elements is written with."""
    child = [sys.executable, "-c", _OF_NOTHING]
    done = subprocess.run(child, text=True, capture_output=True)
    assert not done.returncode, f"status {done.returncode}: {done.stderr[-2000:]}"
    assert done.stdout.splitlines() == [str([(0, 3)] * 4)] * 3
    for value, count in ((0, 2), (3, 0)):
        text = f"""func.func @main(%x: tensor<0xi32>) -> tensor<0xi32> {{
          %y = stablehlo.constant dense<{value}> : tensor<0xi32>
          %z = "anvl.div"(%x, %y) : (tensor<0xi32>, tensor<0xi32>) -> tensor<0xi32>
          return %z : tensor<0xi32>
        }}"""
        once = lowered(text)
        assert once.count("stablehlo.select") == count
        assert lowered(once) == once


def lowered(text):
    module = ir.Module.parse(text, context())
    Pipeline([LowerToStablehlo()]).run(module, verify_each=True)
    return module.operation.get_asm()


@pytest.mark.parametrize(
    ("divisor", "is_guarded"),
    [
        ("stablehlo.constant dense<[3, -1]> : tensor<2xi32>", False),
        ("stablehlo.constant dense<[3, 0]> : tensor<2xi32>", True),
        ("stablehlo.broadcast_in_dim %three, dims = [] : (tensor<i32>) -> tensor<2xi32>", False),
        ("stablehlo.negate %x : tensor<2xi32>", True),
        ("stablehlo.select %x_is_0, %ones, %x : tensor<2xi1>, tensor<2xi32>", False),
        ("stablehlo.select %x_is_0, %zeros, %x : tensor<2xi1>, tensor<2xi32>", True),
        ("stablehlo.select %x_is_0, %ones, %w : tensor<2xi1>, tensor<2xi32>", True),
        ("stablehlo.select %x_is_1, %ones, %x : tensor<2xi1>, tensor<2xi32>", True),
        ("stablehlo.select %x_is_not_0, %ones, %x : tensor<2xi1>, tensor<2xi32>", True),
    ],
)
def test_only_divisors_that_may_be_zero_are_guarded_and_once(divisor, is_guarded):
    compared = "(tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>"
    text = f"""func.func @main(%x: tensor<2xi32>, %w: tensor<2xi32>) -> tensor<2xi32> {{
      %three = stablehlo.constant dense<3> : tensor<i32>
      %ones = stablehlo.constant dense<1> : tensor<2xi32>
      %zeros = stablehlo.constant dense<0> : tensor<2xi32>
      %x_is_0 = stablehlo.compare EQ, %x, %zeros : {compared}
      %x_is_1 = stablehlo.compare EQ, %x, %ones : {compared}
      %x_is_not_0 = stablehlo.compare NE, %x, %zeros : {compared}
      %y = {divisor}
      %z = "anvl.div"(%x, %y) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
      return %z : tensor<2xi32>
    }}"""
    once = lowered(text)
    assert once.count("stablehlo.select") - divisor.count("stablehlo.select") == 2 * is_guarded
    assert lowered(once) == once


def test_functions_and_branches_read_nothing_of_each_other():
    of = "(tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>"
    divided = f'"anvl.div"(%x, %y) : {of}'
    branch = f"{{ %0 = {divided} \n stablehlo.return %0 : tensor<2xi32> }}"
    text = f"""
    func.func private @f(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {{
      %z = {divided}
      return %z : tensor<2xi32>
    }}
    func.func @main(%c: tensor<i1>, %x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {{
      %u = "stablehlo.if"(%c) ({branch}, {branch}) : (tensor<i1>) -> tensor<2xi32>
      %v = {divided}
      %w = func.call @f(%u, %v) : {of}
      %z = "anvl.div"(%w, %x) : {of}
      return %z : tensor<2xi32>
    }}"""
    assert lowered(text).count("dense<1>") == 4  # a one for each block
