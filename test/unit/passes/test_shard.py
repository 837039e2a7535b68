"""Shardings of arguments, results and values: programs on 8 devices have the numbers of one."""

import numpy as np
from tolerances import PROGRAM, rounding

import anvl.runtime as rt
from anvl.dialect import ir, parse
from anvl.passes import Pipeline, Shard

CLIENT = rt.cpu_client(8)
PLACE = rt.sharded_placement(CLIENT.devices)
LAYERS = """
func.func @f(%x: tensor<16x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x4xf32>) -> tensor<f32> {
  %a = "anvl.dot_general"(%x, %w) {dot_dimension_numbers =
      #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}
    : (tensor<16x8xf32>, tensor<8x12xf32>) -> tensor<16x12xf32>
  %b = "anvl.tanh"(%a) : (tensor<16x12xf32>) -> tensor<16x12xf32>
  CUT
  %d = "anvl.dot_general"(%c, %v) {dot_dimension_numbers =
      #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}
    : (tensor<16x12xf32>, tensor<12x4xf32>) -> tensor<16x4xf32>
  %e = "anvl.mul"(%d, %d) : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
  %s = "anvl.sum"(%e) {axes = array<i64: 0, 1>} : (tensor<16x4xf32>) -> tensor<f32>
  return %s : tensor<f32>
}"""
CUT = """%c = "anvl.with_sharding"(%b) {mesh = "x=4,y=2", spec = "x,y"}
    : (tensor<16x12xf32>) -> tensor<16x12xf32>"""


def adjoint_of(text, passes):
    """The StableHLO of the function's values and gradients, as the main function."""
    module = parse(text)
    passes = [*passes, "anvl-gradient{function=f}", "anvl-lower-to-stablehlo"]
    Pipeline(passes).run(module)
    with module.context:
        functions = {op.attributes["sym_name"].value: op for op in module.body.operations}
        functions["f"].erase()
        functions["f_adjoint"].attributes["sym_name"] = ir.StringAttr.get("main")
    return str(module)


def run(program, args):
    found = program.execute(
        [rt.put(x, of.placement) for x, of in zip(args, program.arg_types, strict=True)]
    )
    return [y.numpy() for y in found]


def test_values_and_gradients_on_8_devices_are_those_of_one():
    rng = np.random.default_rng(0)
    args = [rng.normal(size=s).astype("f4") for s in [(16, 8), (8, 12), (12, 4)]]
    alone = adjoint_of(LAYERS.replace("CUT", CUT), [])
    wanted = run(rt.compile(alone), args)  # on one device, a constraint is passed over
    x, w, v = (a.astype("f8") for a in args)
    d = np.tanh(x @ w) @ v
    np.testing.assert_allclose(wanted[0], np.sum(d * d), rtol=rounding(PROGRAM, "f4"))
    np.testing.assert_allclose(
        wanted[3], 2 * np.tanh(x @ w).T @ d, rtol=rounding(PROGRAM, "f4"), atol=1e-4
    )
    shard = Shard("x:4,y:2", "f", (("arg0", "x,-"), ("arg1", "-,y"), ("arg2", "y,-")))
    cut = adjoint_of(LAYERS.replace("CUT", CUT), [shard])
    program = rt.compile(cut, PLACE)
    tiles = [of.placement.tiles for of in program.arg_types]
    assert tiles == [(4,), (1, 2), (2,)]
    assert [of.placement.tiles for of in program.out_types[1:]] == tiles  # as the arguments
    for y, z in zip(run(program, args), wanted, strict=True):
        np.testing.assert_allclose(y, z, rtol=1e-5, atol=1e-5)


def test_a_pass_of_python_has_the_text_of_the_command_line():
    pass_ = Shard("x:4,y:2", specs=(("arg0", "x,-"),))
    assert str(pass_) == 'anvl-shard{mesh="x:4,y:2" arg0=x,-}'
    assert Pipeline([str(pass_)]) == Pipeline([pass_])
    assert Shard.from_text("mesh=x:4,y:2 arg0=x,-") == pass_
