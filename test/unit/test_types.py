"""Types as type checkers see them: stubs are compared with the bindings at run time."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import anvl
import anvl.numpy as np
from anvl.core.tracer import Tracer
from anvl.dialect.core import mlir
from anvl.numpy import operators
from anvl.tools.dev import typing_links

ROOT = Path(__file__).resolve().parents[2]


def _classes(path):
    module = ast.parse((ROOT / path).read_text())
    return {n.name: n for n in module.body if isinstance(n, ast.ClassDef)}


def _members(found):
    """The methods and attributes of a class in a stub, by name."""
    methods = {n.name: n for n in found.body if isinstance(n, ast.FunctionDef)}
    return methods | {n.target.id: n for n in found.body if isinstance(n, ast.AnnAssign)}


METHODS = _members(_classes("runtime/array_methods.pyi")["ArrayMethods"])


@pytest.mark.parametrize("cls", [anvl.Array, Tracer], ids=["Array", "Tracer"])
def test_each_stubbed_method_of_arrays_is_attached(cls):
    np.arange(2)  # the first program attaches them
    assert [name for name in METHODS if name not in vars(cls)] == []


def test_each_attached_method_of_arrays_is_stubbed():
    attached = {*operators._METHODS, *operators._MEMBERS, *operators._PROPERTIES, "at"}
    attached |= operators._ELSEWHERE.keys()
    attached |= {f"__{name}__" for name in (*operators._UNARY, *operators._COMPARE)}
    attached |= {f"__{side}{name}__" for side in ("", "r") for name in operators._BINARY}
    assert attached == METHODS.keys()


@pytest.mark.parametrize("name", operators._METHODS)
def test_a_stubbed_method_of_arrays_takes_what_the_function_takes(name):
    given = METHODS[name].args
    function = getattr(np, operators._METHODS[name])
    wanted = list(inspect.signature(function).parameters)[1:]
    assert [a.arg for a in (*given.args, *given.kwonlyargs)][1:] == wanted


CORE = "anvl_dialect/core"
MLIR = {**_classes(f"{CORE}/mlir_ir.pyi"), **_classes(f"{CORE}/mlir_attributes.pyi")}


def _with_subclasses(cls):
    return [cls, *(c for sub in cls.__subclasses__() for c in _with_subclasses(sub))]


@pytest.mark.parametrize("name", [name for name in MLIR if not name.startswith("_")])
def test_each_member_of_the_stub_of_mlir_is_in_the_bindings(name):
    classes = _with_subclasses(getattr(mlir.ir, name))
    known = {m for cls in classes for m in dir(cls)}
    assert _members(MLIR[name]).keys() <= known


@pytest.mark.parametrize("name", ["Operand", "OperandDef", "Pure", "Result", "ResultDef"])
def test_what_the_stub_says_of_ext_is_in_the_bindings(name):
    assert name in _classes(f"{CORE}/mlir_ext.pyi") and hasattr(mlir.ext, name)


MISSPELT = """
from anvl.dialect import AnvlOp, Operand, Result, emit, ir
from anvl.dialect.core.op import Value

class OneOp(AnvlOp, name="my.one", pure=True):
    x: Operand
    y: Result

    @classmethod
    def lower(cls, hlo: object, *xs: Value, **params: object) -> object:
        return xs[0].tpye

def owner(op: ir.Operation) -> object:
    return op.operands[0].ownr, op.atributes, op.results[0].type.sahpe, OneOp.n_operand
"""


def test_a_misspelt_attribute_of_a_value_an_op_or_a_type_is_an_error(tmp_path):
    """mypy, with the settings and the cache of `make check`."""
    if not (ROOT / ".typing").exists():
        typing_links.main()
    path = tmp_path / "misspelt.py"
    path.write_text(MISSPELT)
    command = [sys.executable, "-m", "mypy", str(path), "--config-file", "pyproject.toml"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    for name in ("tpye", "ownr", "atributes", "sahpe", "n_operand"):
        assert f'has no attribute "{name}"' in found, found
