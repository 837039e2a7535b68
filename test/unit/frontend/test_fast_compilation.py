"""The flags that tests compile with: one that this XLA does not have costs no others."""

import numpy as np
import pytest

import anvl.runtime as rt
from anvl.testing import program
from anvl.testing.program import FAST, OLD_EMITTERS, compile_fast

SINE = """
func.func @main(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = stablehlo.sine %x : tensor<3xf64>
  return %0 : tensor<3xf64>
}
"""


@pytest.fixture
def asked(monkeypatch):
    """The options of each attempt to compile."""
    attempts = []

    def compile_lowered(text, *, options):
        attempts.append(dict(options))
        return original(text, options=options)

    original = rt.compile_lowered
    monkeypatch.setattr(rt, "compile_lowered", compile_lowered)
    monkeypatch.setattr(program, "_missing", set())
    return attempts


def test_a_flag_that_is_gone_is_left_out_from_then_on(asked, monkeypatch):
    monkeypatch.setitem(FAST, "xla_no_such_flag", 1)
    for _ in range(2):
        compiled = compile_fast(SINE)
        found = np.asarray(compiled.execute([rt.put(np.arange(3.0))])[0])
        np.testing.assert_allclose(found, np.sin(np.arange(3.0)))
    first, *_, last = asked
    assert "xla_no_such_flag" in first and "xla_no_such_flag" not in last
    assert last.keys() == FAST.keys() - program._missing
    assert len(asked) == 2 + len(program._missing)


def test_this_xla_has_all_flags_but_perhaps_the_old_emitters(asked):
    compile_fast(SINE, options=OLD_EMITTERS)
    assert program._missing <= OLD_EMITTERS.keys()


def test_a_flag_of_the_caller_is_not_left_out(asked):
    with pytest.raises(ValueError, match="No such compile option: 'xla_mine'"):
        compile_fast(SINE, options={"xla_mine": 1})
