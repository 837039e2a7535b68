"""What type checkers are told: stubs are held against what is there at run time."""

import ast
import inspect
from pathlib import Path

import pytest

import anvl
import anvl.numpy as np
from anvl.core.tracer import Tracer
from anvl.numpy import operators

ROOT = Path(__file__).resolve().parents[2]


def _stubbed(path, name):
    """The methods and properties of a class in a stub, by name."""
    module = ast.parse((ROOT / path).read_text())
    (found,) = (n for n in module.body if isinstance(n, ast.ClassDef) and n.name == name)
    return {n.name: n for n in found.body if isinstance(n, ast.FunctionDef)}


METHODS = _stubbed("runtime/array_methods.pyi", "ArrayMethods")


@pytest.mark.parametrize("cls", [anvl.Array, Tracer], ids=["Array", "Tracer"])
def test_each_stubbed_method_of_arrays_is_attached(cls):
    np.arange(2)  # the first program attaches them
    assert [name for name in METHODS if name not in vars(cls)] == []


def test_each_attached_method_of_arrays_is_stubbed():
    attached = {*operators._METHODS, *operators._MEMBERS}
    attached |= {f"__{name}__" for name in (*operators._UNARY, *operators._COMPARE)}
    attached |= {f"__{side}{name}__" for side in ("", "r") for name in operators._BINARY}
    assert attached == METHODS.keys()


@pytest.mark.parametrize("name", operators._METHODS)
def test_a_stubbed_method_of_arrays_takes_what_the_function_takes(name):
    given = METHODS[name].args
    wanted = list(inspect.signature(operators._METHODS[name]).parameters)[1:]
    assert [a.arg for a in (*given.args, *given.kwonlyargs)][1:] == wanted
