"""LAPACK's calls on stacks run one after the other: side by side they may wait forever."""

import re

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.numpy import linalg
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.functions.symbol_utils import functions_of
from anvl.passes.lower_to_stablehlo import LowerToStablehlo

X = np.random.default_rng(0).normal(size=(100, 6, 6))
BARRIER = "stablehlo.optimization_barrier"  # of what runs it orders nothing
WIDE = np.eye(20)
SPD = X @ X.swapaxes(1, 2) + 6 * np.eye(6)


def lowered(f, *xs):
    return anvl.jit(f).lower(*xs).mlir("stablehlo")


def blocks(op):
    for region in op.regions:
        for block in region.blocks:
            yield block
            for inner in block.operations:
                yield from blocks(inner.operation)


def holds_a_call(op, functions):
    """Whether an op is a call of LAPACK, or has one in its body or in that of what it calls."""
    ops = [op, *(inner.operation for block in blocks(op) for inner in block.operations)]
    called = [functions[o.attributes["callee"].value] for o in ops if o.name == "func.call"]
    is_one = any(o.name == "stablehlo.custom_call" for o in ops)
    return is_one or any(holds_a_call(function, functions) for function in called)


def read(op):
    yield from op.operands
    for block in blocks(op):
        for inner in block.operations:
            yield from inner.operands


def unordered(text):
    """How many calls do not depend on the one before them, of all blocks of a program."""
    found = 0
    with context():
        module = ir.Module.parse(text)
    functions = functions_of(module.operation)
    for block in blocks(module.operation):
        later = None
        for op in [op.operation for op in block.operations if op.operation.name != "func.func"]:
            depends = later is not None and any(x in later for x in read(op))
            if holds_a_call(op, functions):
                found += later is not None and not depends
                later = set(op.results)
            elif depends and op.name != BARRIER:
                later.update(op.results)
    return found


def side_by_side(x):
    return linalg.eigh(x)[0], linalg.svd(x)[1], linalg.inv(x), linalg.qr(x * 2)[1]


def in_loops(x):
    step = lambda c, _: (linalg.inv(c), linalg.eigvalsh(c))  # noqa: E731
    _, first = anvl.scan(step, x, None, length=3)
    _, second = anvl.scan(step, x + 1, None, length=2)
    return first, second, linalg.svd(x)[1]


def in_branches(x):
    flag = x[0, 0, 0] > 0
    y = anvl.cond(flag, lambda: linalg.inv(x), lambda: linalg.qr(x)[0] + linalg.svd(x)[0])
    return y, linalg.eigvalsh(x), anvl.cond(~flag, lambda: linalg.inv(x + 1), lambda: x)


def in_functions(x):
    inner = anvl.jit(lambda x: linalg.inv(x) + linalg.inv(x.swapaxes(1, 2) + 1))
    return inner(x), inner(x * 2), anvl.grad(lambda x: anp.sum(linalg.eigvalsh(x)))(x)


def with_what_is_dead(x):
    return linalg.eigh(x)[0], linalg.cholesky(x)


@pytest.mark.parametrize(
    "f", [side_by_side, in_loops, in_branches, in_functions, with_what_is_dead]
)
def test_each_call_depends_on_the_one_before(f):
    text = lowered(f, SPD)
    assert text.count("@lapack_") > 1
    assert not unordered(text)


def test_calls_in_functions_of_functions_are_seen():
    of = "tensor<100x6x6xf64>"
    text = f"""
    func.func private @f(%x: {of}) -> {of} {{
      %y = "anvl.cholesky"(%x) : ({of}) -> {of}
      return %y : {of}
    }}
    func.func private @g(%x: {of}) -> {of} {{
      %y = call @f(%x) : ({of}) -> {of}
      return %y : {of}
    }}
    func.func @main(%x: {of}, %y: {of}) -> ({of}, {of}) {{
      %0 = call @g(%x) : ({of}) -> {of}
      %1 = call @g(%y) : ({of}) -> {of}
      return %0, %1 : {of}, {of}
    }}"""
    module = ir.Module.parse(text, context())
    Pipeline([LowerToStablehlo()]).run(module, verify_each=True)
    assert not unordered(module.operation.get_asm())


def test_the_counter_of_a_loop_stays_a_literal_for_xla():
    chosen = r"stablehlo.select .* : tensor<i1>, tensor<i\d+>$"
    assert not re.search(chosen, lowered(in_loops, SPD), re.MULTILINE)


@pytest.mark.parametrize("x", [SPD + 0j, SPD.astype("f4"), SPD[:, :3]])
def test_whatever_the_dtype_and_the_form(x):
    assert not unordered(lowered(lambda x: (linalg.svd(x)[1], linalg.qr(x * 2)[1]), x))


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: linalg.qr(x)[0], SPD),  # a call of the result of a call
        (lambda x: linalg.cholesky(x), SPD),
        (lambda x: (linalg.cholesky(x), linalg.inv(x)), WIDE),  # of one matrix
        (lambda x: (linalg.cholesky(x), linalg.inv(x)), SPD[:3]),  # too little to be split
    ],
)
def test_other_calls_stay_as_they_are(f, x):
    assert "GT" not in lowered(f, x)
    assert "popcnt" not in lowered(f, x)


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize(
    ("f", "calls"),
    [(side_by_side, 6), (in_loops, 3), (in_branches, 3)],
    ids=["side by side", "in loops", "in branches"],
)
def test_the_order_outlives_xla(f, calls):
    text, entry = anvl.jit(f).lower(SPD).compile().hlo().split("\nENTRY ")
    holding = {  # computations with a call in them
        block.split()[0] for block in text.split("\n\n") if 'custom_call_target="lapack_' in block
    }
    later, found = set(), 0
    for name, said in re.findall(r"(?m)^ +(?:ROOT )?(%[\w.\-]+) = (.*)$", entry):
        read = set(re.findall(r"%[\w.\-]+", said))
        depends = not later.isdisjoint(read)
        if 'custom_call_target="lapack_' in said or not holding.isdisjoint(read):
            assert depends or not found
            later, found = {name}, found + 1
        elif depends and " opt-barrier(" not in said:
            later.add(name)
    assert found == calls


def test_results_of_ordered_calls_are_right():
    values, sizes, inverse, _ = anvl.jit(side_by_side)(SPD)
    near = {"rtol": rounding(PROGRAM), "atol": rounding(PROGRAM)}
    np.testing.assert_allclose(values, np.linalg.eigh(SPD)[0], **near)
    np.testing.assert_allclose(sizes, np.linalg.svd(SPD)[1], **near)
    np.testing.assert_allclose(inverse, np.linalg.inv(SPD), **near)


def test_loops_with_tokens_and_small_integers_are_left_to_xla():
    of = "tensor<100x6x6xf64>"
    carried = f"!stablehlo.token, tensor<i4>, tensor<i32>, {of}"
    text = f"""
    func.func @main(%x: {of}, %n: tensor<i32>) -> ({of}, {of}) {{
      %t = stablehlo.create_token : !stablehlo.token
      %s = stablehlo.constant dense<1> : tensor<i4>
      %0:4 = stablehlo.while(%a = %t, %b = %s, %i = %n, %y = %x) : {carried}
      cond {{
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }} do {{
        %z = "anvl.cholesky"(%y) : ({of}) -> {of}
        %p = stablehlo.slice %z [0:1, 0:1, 0:1] : ({of}) -> tensor<1x1x1xf64>
        %q = stablehlo.reshape %p : (tensor<1x1x1xf64>) -> tensor<f64>
        %r = stablehlo.convert %q : (tensor<f64>) -> tensor<i4>
        %u = stablehlo.after_all %a : !stablehlo.token
        stablehlo.return %u, %r, %i, %z : {carried}
      }}
      %1 = "anvl.cholesky"(%x) : ({of}) -> {of}
      return %1, %0#3 : {of}, {of}
    }}"""
    module = ir.Module.parse(text, context())
    Pipeline([LowerToStablehlo()]).run(module, verify_each=True)
    text = module.operation.get_asm()
    assert "stablehlo.while" in text
    assert not unordered(text)
