"""Fixtures of tests of several passes."""

import pytest

from anvl.dispatch import executables


@pytest.fixture
def compiled_options(monkeypatch):
    """The options of each program that is compiled."""
    given = []
    compile_lowered = executables.compile_lowered

    def kept(*args, **rest):
        given.append(rest["options"])
        return compile_lowered(*args, **rest)

    monkeypatch.setattr(executables, "compile_lowered", kept)
    return given
