"""A misspelt keyword of any public function is answered with the nearest one."""

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import anvl
import anvl.numpy as anp

MODULES = (
    "", "numpy", "numpy.linalg", "numpy.fft", "nn", "nn.initializers", "random", "lax", "tree",
    "tree_util", "scipy.special", "scipy.linalg", "scipy.signal", "scipy.stats", "scipy.optimize",
    "scipy.integrate", "scipy.interpolate", "scipy.ndimage", "scipy.fft", "scipy.cluster.vq",
    "optim", "image", "ops", "distributed", "safetensors", "checkpointing",
)  # fmt: skip

#: They pass other keywords on, or decorate, or complain of another argument first.
OTHERS = {
    "": "check eval_shape export jit print_saved_values trace why_not_differentiable".split(),
    # NumPy reads these texts and files.
    "numpy": "frombuffer fromfile fromfunction fromiter fromstring genfromtxt loadtxt pad".split(),
}


def functions(module: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions and classes with parameters that Python knows; and the methods of objects."""
    found = importlib.import_module(f"anvl.{module}".rstrip("."))
    for name in found.__all__:
        f = getattr(found, name)
        in_anvl = str(getattr(f, "__module__", "")).startswith("anvl")
        if name in OTHERS.get(module, ()) or (isinstance(f, type) and issubclass(f, Exception)):
            continue
        if not callable(f) and in_anvl:  # a distribution
            yield from ((f"{name}.{m}", getattr(f, m)) for m in vars(type(f)) if m[0] != "_")
        elif in_anvl and (not isinstance(f, type) or "__init__" in vars(f)):
            if not (isinstance(f, type) and getattr(f, "_is_protocol", False)):
                yield name, f


def misspelt(f: Callable[..., Any]) -> tuple[list[Any], str, str] | None:
    """Arguments, a keyword of f that all parameters before the last make one, and that misspelt."""
    parameters = list(inspect.signature(f).parameters.values())
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    optional = [p.name for p in named if p.default is not p.empty and len(p.name) > 2]
    if not optional:
        return None
    wanted = [p for p in parameters if p.default is p.empty and p.kind not in (2, 3, 4)]
    name = optional[-1]
    wrong = name[:-2] + name[-1] + name[-2]
    return [anp.ones(2)] * len(wanted), name, wrong if wrong != name else f"{name}_"


@pytest.mark.parametrize("module", MODULES)
def test_a_misspelt_keyword_is_answered_with_the_nearest(module: str) -> None:
    tried = 0
    for name, f in functions(module):
        found = misspelt(f) if callable(f) else None
        if found is None:
            continue
        args, keyword, wrong = found
        with pytest.raises(TypeError, match=f"'{wrong}'.* did you mean ") as refused:
            pytest.fail(f"{name} took {wrong}={f(*args, **{wrong: 1})!r}")
        assert f"did you mean '{keyword}'" in str(refused.value), name
        tried += 1
    assert tried > 0


def test_where_an_argument_is_missing_the_misspelt_one_is_named_too() -> None:
    message = "broadcast_to: there is no keyword 'shaep'; did you mean 'shape'"
    with pytest.raises(TypeError, match=message):
        anp.broadcast_to(anp.ones(3), shaep=(3, 3))
    message = r"missing 1 .*; there is no keyword 'padding_confgi'; did you mean 'padding_config'\?"
    with pytest.raises(TypeError, match=message):
        anvl.lax.pad(anp.ones(3), 0.0, padding_confgi=[(0, 0, 0)])


def test_jit_lists_all_of_its_keywords():
    with pytest.raises(TypeError, match="jit: there is no keyword 'qqq'") as caught:
        anvl.jit(anp.sin, qqq=1)
    listed = str(caught.value).partition("it takes ")[2].split(", ")
    own = [p.name for p in inspect.signature(anvl.jit).parameters.values() if p.name != "f"]
    assert {*own} - {"spelled"} <= {*listed}
