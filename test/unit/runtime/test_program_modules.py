"""Bytecode of StableHLO is read by jaxlib as artifacts are: Note [Bytecode for jaxlib]."""

import io
from typing import Any

import pytest

import anvl
import anvl.runtime as rt
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.dispatch.lowering import _READ_BYTECODE, copied, encoded, serialize
from anvl.runtime.execution import program_modules
from anvl.runtime.lazy import compat
from anvl.testing.checks import ValueCheck
from anvl.testing.closure import goes_before_lowering
from anvl.testing.draw import Draw
from anvl.testing.op_check import in_other_dtypes
from anvl.testing.program import Program

gets_bytecode = pytest.mark.skipif(
    rt.stablehlo_version() not in _READ_BYTECODE, reason="this jaxlib gets artifacts"
)

CLIENT = rt.devices()[0].client

FORMS = """
func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %i: tensor<i32>)
    -> (tensor<4xf32> {jax.result_info = "y"}) attributes {anvl.sign = "a sign"} {
  %a = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %a1 = stablehlo.constant dense<[true, false, true, true, false, false, false, true, true]>
    : tensor<9xi1>
  %a2 = stablehlo.constant dense<true> : tensor<17xi1>
  %b = stablehlo.constant dense<[-1, 7, 0, 3, -8]> : tensor<5xi4>
  %c = stablehlo.constant dense<[1.5, 0x7FC0]> : tensor<2xbf16>
  %d = stablehlo.constant dense<[(1.0, -0.0), (0.5, 2.0)]> : tensor<2xcomplex<f64>>
  %e = stablehlo.constant dense<0xFF800000> : tensor<3xf32>
  %f = stablehlo.constant dense<> : tensor<0xui8>
  %g = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E4M3FN>
  %y = stablehlo.optimization_barrier %x : tensor<4xf32>
  %z = "stablehlo.case"(%i) ({
    stablehlo.return %y : tensor<4xf32>
  }, {
    %s = stablehlo.custom_call @lapack_name(%y) {
      api_version = 4 : i32, backend_config = {uplo = 76 : ui8}, has_side_effect = true,
      operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>],
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],
        operand_index = 0, operand_tuple_indices = []>]
    } : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %s : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
"""


def _in_hlo(program: bytes) -> list[str]:
    """The lines of a program as XLA reads it."""
    return str(compat._jax.mlir.mlir_module_to_xla_computation(program).as_hlo_text()).splitlines()


def _compare(module: ir.Module) -> None:
    artifact, bytecode = serialize(copied(module), client=CLIENT), encoded(copied(module), CLIENT)
    assert artifact[5:16] == b"StableHLO_v" != bytecode[5:16]
    found, wanted = _in_hlo(bytecode), _in_hlo(artifact)
    # An empty dictionary of a custom call is left out of artifacts.
    assert [line.replace(", backend_config={}", "") for line in found] == wanted


@gets_bytecode
@pytest.mark.sweep(keep=0, part=0)  # 20 s; the versions change seldom
def test_each_op_is_read_as_from_an_artifact(monkeypatch: pytest.MonkeyPatch) -> None:
    parts: list[ir.Module] = []
    monkeypatch.setattr("anvl.testing.program._compiled", parts.append)
    program, count = Program(interprets=False), 0
    for name, op_class in sorted(OPS.items()):
        if goes_before_lowering(op_class):
            continue
        with context(), ir.Location.unknown():
            calls = op_class.sample(Draw(name))
            for call in [*calls, *in_other_dtypes(op_class, calls)]:
                ValueCheck(op_class, call, program)
                count += 1
    assert count > 500
    with context(), ir.Location.unknown():
        program.finish()
        program.compile()
    for module in parts:
        _compare(module)


@gets_bytecode
def test_constants_regions_and_attributes_are_read_as_from_an_artifact() -> None:
    _compare(ir.Module.parse(FORMS, context()))


@gets_bytecode
def test_contexts_are_kept_and_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr(program_modules, "_idle", [])
    monkeypatch.setattr(program_modules, "_MOST_PROGRAMS", 3)
    new = compat.mlir_context
    monkeypatch.setattr(
        program_modules.compat, "mlir_context", lambda: made.append(new()) or made[-1]
    )
    for i in range(7):
        assert float(anvl.jit(lambda x, i=i: x + (10.5 + i))(1.0)) == 11.5 + i
    assert len(made) == 3


def test_other_versions_and_clients_get_artifacts(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ir.Module.parse(FORMS, context())
    wanted = serialize(copied(module), client=CLIENT)
    with monkeypatch.context() as patch:
        patch.setattr("anvl.dispatch.lowering.EMBEDDED", "another")
        assert encoded(copied(module), CLIENT) == wanted
    monkeypatch.setattr("anvl.dispatch.lowering._READ_BYTECODE", frozenset({"0.0.1"}))
    assert encoded(copied(module), CLIENT) == wanted


def test_bytes_that_no_context_reads_are_refused_as_before() -> None:
    buffer = io.BytesIO()
    ir.Module.parse(FORMS, context()).operation.write_bytecode(buffer)
    broken = buffer.getvalue()[:200]
    assert compat.module_in(compat.mlir_context(), broken) is None
    with pytest.raises(compat.Failure, match="parse"):
        place = rt.devices()[0].placement
        program_modules.compile_and_load(
            CLIENT.handle, broken, place.device_list, compat.CompileOptions()
        )
