"""The examples in docstrings run and print what they say."""

import doctest
import importlib
import pkgutil

import pytest

PACKAGES = ("anvl", "anvl.dialect", "anvl.passes", "anvl.runtime", "anvl.tools")
LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules() -> list[str]:
    """Every module of anvl, by name."""
    paths = {name: importlib.import_module(name).__path__ for name in PACKAGES}
    found = {
        m.name for name, path in paths.items() for m in pkgutil.walk_packages(path, f"{name}.")
    }
    return sorted(name for name in {*PACKAGES, *found} if not name.endswith("__main__"))


@pytest.mark.sweep(keep=60, part=30)
@pytest.mark.parametrize("name", modules())
def test_the_examples_of_a_module_hold(name):
    assert doctest.testmod(importlib.import_module(name), optionflags=LOOSE).failed == 0
