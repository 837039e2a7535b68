"""Numbers behind a barrier on the CPU are not overwritten while the original is still read."""

import re

import numpy as np
import pytest
from tolerances import PROGRAM, assert_close, rounding

import anvl
import anvl.numpy as anp
import anvl.runtime as rt
from anvl.dialect.core.context import parse
from anvl.dialect.text.interpreter import interpreter
from anvl.passes.donate import Donate
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.lower_to_stablehlo import LowerToStablehlo

# `%x` as `MAKER` makes it is read at other positions, by the slice, and behind a barrier at those
# of the result.
READ_TWICE = """
func.func @main(%a: tensor<3x3xf64>, %m: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %zeros = stablehlo.constant dense<0.0> : tensor<3x3xf64>
  %ones = stablehlo.constant dense<1.0> : tensor<3x3xf64>
  MAKER
  %column = stablehlo.slice %x [0:3, 0:1] : (tensor<3x3xf64>) -> tensor<3x1xf64>
  %sine = stablehlo.sine %column : tensor<3x1xf64>
  %pad = stablehlo.pad %sine, %zero, low = [0, 1], high = [0, 1], interior = [0, 0]
      : (tensor<3x1xf64>, tensor<f64>) -> tensor<3x3xf64>
  BARRIER
  %is = stablehlo.compare GT, %y, %m : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xi1>
  %chosen = stablehlo.select %is, %y, %zeros : tensor<3x3xi1>, tensor<3x3xf64>
  %r = stablehlo.add %pad, %chosen : tensor<3x3xf64>
  return %r : tensor<3x3xf64>
}
"""
MAKERS = {
    "computed": "%x = stablehlo.multiply %a, %m : tensor<3x3xf64>",
    "a product of 1": "%p = stablehlo.multiply %a, %m : tensor<3x3xf64>\n"
    "  %x = stablehlo.multiply %ones, %p : tensor<3x3xf64>",
    "reshaped": "%p = stablehlo.multiply %a, %m : tensor<3x3xf64>\n"
    "  %v = stablehlo.reshape %p : (tensor<3x3xf64>) -> tensor<9xf64>\n"
    "  %x = stablehlo.reshape %v : (tensor<9xf64>) -> tensor<3x3xf64>",
    "an argument": "%x = stablehlo.reshape %a : (tensor<3x3xf64>) -> tensor<3x3xf64>",
}
ONE = "%y = stablehlo.optimization_barrier %x : tensor<3x3xf64>"
TWO = "%y, %n = stablehlo.optimization_barrier %x, %m : tensor<3x3xf64>, tensor<3x3xf64>"
BARRIERS = {
    "one": ONE,
    "one twice": ONE.replace("%y", "%z") + "\n  " + ONE.replace("%x", "%z"),
    "one beside another": ONE.replace("%y", "%z") + "\n  " + ONE,
    "of two": TWO,
    "one of two": TWO.replace("%y", "%z") + "\n  " + ONE.replace("%x", "%z"),
}


def program(maker, barrier):
    return READ_TWICE.replace("MAKER", MAKERS[maker]).replace("BARRIER", BARRIERS[barrier])


@pytest.mark.sweep(keep=8)
@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("barrier", BARRIERS)
def test_what_is_behind_a_barrier_is_not_overwritten(maker, barrier):
    text = program(maker, barrier)
    a, m = np.random.default_rng(0).normal(size=(2, 3, 3))
    ((expected,),) = interpreter().run(parse(text), [[a, m]])
    found = np.asarray(anvl.from_stablehlo(text)(a, m))
    np.testing.assert_allclose(found, expected, rtol=rounding(PROGRAM))


@pytest.mark.parametrize("barrier", BARRIERS)
def test_a_donated_argument_is_not_overwritten(barrier):
    text = program("an argument", barrier)
    a, m = np.random.default_rng(0).normal(size=(2, 3, 3))
    ((expected,),) = interpreter().run(parse(text), [[a, m]])
    module = parse(text)
    Pipeline([Donate(args=(0,)), LowerToStablehlo()]).run(module)
    options = {"xla_disable_hlo_passes": "cse_barrier_expander"}
    (found,) = rt.compile(str(module), options=options).execute([rt.put(a), rt.put(m)])
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rounding(PROGRAM))


@pytest.mark.parametrize("barrier", BARRIERS)
def test_lowering_again_changes_nothing(barrier):
    module = parse(program("a product of 1", barrier))
    Pipeline([LowerToStablehlo()]).run(module)
    once = str(module)
    again = parse(once)
    Pipeline([LowerToStablehlo()]).run(again)
    assert str(again) == once


@pytest.mark.sweep(keep=0)
def test_complex_numbers_are_copied_too():
    def step(x):
        return anp.exp(x) * anp.sin(x)[::-1]

    def loss(step):
        return lambda x: anp.sum(anp.abs(step(anp.sin(x) * x)))

    x = np.linspace(0.1, 0.7, 3) * (1 + 0.5j)
    found = np.asarray(anvl.jit(anvl.grad(loss(anvl.checkpoint(step))))(x))
    np.testing.assert_allclose(found, anvl.grad(loss(step))(x), rtol=rounding(PROGRAM))


@pytest.mark.sweep(keep=0)
def test_the_derivative_of_a_largest_value_that_is_used_at_other_positions_too():
    def f(w):
        slopes = anvl.vmap(anvl.grad(lambda x: anp.sum(anp.sin(x) ** 2)))(w)
        shares = anp.exp(slopes - anp.logaddexp(slopes[:, :1], slopes[:, 1:2]))[:, 0]
        return anp.sum(anp.sin(anp.max(slopes, axis=0)[:, None] * shares[None, :]))

    w = np.random.default_rng(92).uniform(-1, 1, (3, 3))
    anvl.testing.check_grads(f, (w,), order=1)
    compiled = anvl.jit(anvl.grad(f))
    ((expected,),) = interpreter().run(parse(compiled.lower(w).mlir()), [[w]])
    np.testing.assert_allclose(np.asarray(compiled(w)), expected, rtol=rounding(PROGRAM))


def test_each_copy_has_a_flag_of_its_own():
    module = parse(program("reshaped", "one of two"))
    Pipeline([LowerToStablehlo()]).run(module)
    flags = re.findall(r"stablehlo.select (%\w+#\d), \S+ \S+ : tensor<i1>", str(module))
    assert len(flags) == len(set(flags)) == 2


def graph_step(rng, rounds):
    """Rounds of messages along edges, of rows made by random functions, and a loss of the sum."""
    functions = [anp.tanh, anp.exp, anp.sin, anp.sqrt, lambda x: x * x, lambda x: x, anvl.nn.silu]
    chosen = [functions[i] for i in rng.integers(len(functions), size=(rounds, 2)).flat]
    is_read_twice, by_exponential = rng.integers(2, size=(2, rounds))

    def loss(x, ends):
        total = 0.0
        for k in range(rounds):
            rows = chosen[2 * k](x) * chosen[2 * k + 1](x[:, ::-1])
            if by_exponential[k]:
                rows = anp.where(x > 0, rows, 1) * anp.exp(-x)
            sums = anvl.ops.segment_sum(rows[ends[0]], ends[1], num_segments=x.shape[0])
            total += anp.sum(rows) if is_read_twice[k] else 0
            x = 0.5 + anp.abs(anp.tanh(sums / 40 + x if is_read_twice[k] else sums / 40))
        return total + anp.mean(x * x)

    return loss, not is_read_twice.all()


@pytest.mark.sweep(keep=0, part=2)  # 4 s each
@pytest.mark.parametrize("seed", range(12))
def test_gathers_of_random_rows(seed):
    rng = np.random.default_rng(seed)
    x, ends = rng.uniform(0.5, 1, (150, 40)), rng.integers(0, 150, (2, 700)).astype("int32")
    loss, has_slope_of_sums = graph_step(rng, 2)
    program = anvl.jit(anvl.value_and_grad(loss))
    text = program.lower(x, ends).mlir()
    assert "optimization_barrier" in text or not has_slope_of_sums
    ((value, slope),) = interpreter().run(parse(text), [[x, ends]])
    found, found_slope = program(x, ends)
    assert_close(found, value, PROGRAM)
    assert_close(found_slope, slope, PROGRAM)


def test_no_gather_repeats_a_function_of_more_rows_than_there_are():
    def loss(x, ends):
        sums = anvl.ops.segment_sum(anp.exp(x)[ends[0]], ends[1], num_segments=500)
        return anp.sum(anp.tanh(sums + x) ** 2)

    x, ends = np.ones((500, 32), "float32"), np.zeros((2, 2000), "int32")
    hlo = anvl.jit(anvl.grad(loss)).lower(x, ends).compile().hlo()
    bodies = [body for body in hlo.split("\n\n") if " gather(" in body]
    assert len(bodies) == 2
    assert not re.search("exponential|tanh|divide", "".join(bodies))


ROTATING = {
    "rotary": lambda x, a: anp.sin(a)[:, None] * x - anp.cos(a)[:, None] * x[..., ::-1],
    "two broadcasts": lambda x, a: anp.sin(a)[:, None] * x - anp.sin(a)[:, None, :1] * x,
    "chosen": lambda x, a: anp.where(a > 0, anp.tan(a), 2)[:, None] * x,
    "reversed": lambda x, a: x / (3 + anp.cos(a)[:, None, ::-1]),
}


@pytest.mark.sweep(keep=0, part=4)  # 1 s each
@pytest.mark.parametrize("name", ROTATING)
def test_no_broadcast_repeats_a_sine(name):
    def loss(x, a):
        y = ROTATING[name](x, a)
        return anp.sum(anp.where(y > 0, y * y, 3 * y))

    rng = np.random.default_rng(5)
    x, a = rng.normal(size=(32, 40, 16)), rng.normal(size=(32, 16))
    program = anvl.jit(anvl.value_and_grad(loss, argnums=(0, 1)))
    lowered = program.lower(x, a)
    hlo = lowered.compile().hlo()
    bodies = [body for body in hlo.split("\n\n") if re.search(r" (co)?sine\(| tan\(", body)]
    assert bodies
    assert not any("32,40,16]" in body for body in bodies if not body.startswith("ENTRY"))
    ((value, slopes, others),) = interpreter().run(parse(lowered.mlir()), [[x, a]])
    found, (found_slopes, found_others) = program(x, a)
    assert_close(found, value, PROGRAM)
    assert_close(found_slopes, slopes, PROGRAM)
    assert_close(found_others, others, PROGRAM)


# Ops that make arrays of more elements than the sine that they read has.
LARGER = {
    "clamp": "%y = stablehlo.clamp %s, %x, %s : (tensor<f32>, tensor<20000xf32>, tensor<f32>)"
    " -> tensor<20000xf32>",
    "choice": "%p = stablehlo.compare GT, %s, %s : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "%y = stablehlo.select %p, %x, %x : tensor<i1>, tensor<20000xf32>",
    "broadcast": "%y = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>)"
    " -> tensor<20000xf32>",
}  # fmt: skip


@pytest.mark.parametrize("what", LARGER)
def test_a_sine_that_makes_a_larger_array_is_behind_a_barrier(what):
    signature = "@main(%a: tensor<f32>, %x: tensor<20000xf32>) -> tensor<20000xf32>"
    sine = "%s = stablehlo.sine %a : tensor<f32>"
    text = f"func.func {signature} {{\n{sine}\n{LARGER[what]}\nreturn %y : tensor<20000xf32>\n}}"
    module = parse(text)
    Pipeline([LowerToStablehlo()]).run(module)
    assert str(module).count("optimization_barrier") == 1


def test_sines_of_the_largest_arrays_are_not_behind_barriers():
    x = np.ones((200, 200), "float32")
    text = anvl.jit(lambda x: anp.sin(x) + anp.cos(x) * anp.sum(x, axis=0)).lower(x).mlir()
    assert text.count("stablehlo.broadcast_in_dim") == 1
    assert "optimization_barrier" not in text


COMPARED = {
    "exponentials": lambda x: anp.argmax(anp.exp(x), axis=-1),
    "logarithms along the first axis": lambda x: anp.argmin(anp.log1p(x * x), axis=0),
    "of noise": lambda x: anp.argmax(x - anp.log(-anp.log(0.9 * anp.abs(anp.tanh(x)))), axis=-1),
}


@pytest.mark.parametrize("name", COMPARED)
def test_no_comparison_computes_a_function(name):
    x = np.random.default_rng(0).normal(size=(1000, 10)).astype("float32")
    lowered = anvl.jit(COMPARED[name]).lower(x)
    bodies = [
        b for b in lowered.compile().hlo().split("\n\n") if " reduce(" in b and "ENTRY" not in b
    ]
    assert any("s32" in body for body in bodies)
    assert not re.search(" (exponential|log|log-plus-one)\\(", "".join(bodies))
    ((found,),) = interpreter().run(parse(lowered.mlir()), [[x]])
    np.testing.assert_array_equal(lowered.compile()(x), found)


UNCOMPARED = {
    "few": (lambda x: anp.argmax(anp.exp(x), axis=-1), (8, 10)),
    "products": (lambda x: anp.argmax(x * x, axis=-1), (1000, 10)),
    "calls": (lambda x: anp.argmax(anp.sin(x), axis=-1), (1000, 10)),
    "largest": (lambda x: anp.max(anp.exp(x), axis=-1), (1000, 10)),
    "read by others": (lambda x: (anp.argmax(y := anp.exp(x), axis=-1), y), (1000, 10)),
}


@pytest.mark.parametrize("name", UNCOMPARED)
def test_other_operands_of_reductions_are_not_behind_barriers(name):
    f, shape = UNCOMPARED[name]
    text = anvl.jit(f).lower(np.ones(shape, "float32")).mlir()
    assert "optimization_barrier" not in text
