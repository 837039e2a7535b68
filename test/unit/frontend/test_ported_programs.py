"""Seven programs of JAX's users run after their imports are replaced, and print what JAX prints."""

import json

import ported
import pytest

import anvl


@pytest.fixture(autouse=True)
def usual_dtypes():
    yield
    for name in ("default_float", "default_int", "default_complex"):
        if anvl.config.settings()[name].origin() == "set":
            delattr(anvl.config, name)


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize("name", ported.PROGRAMS)
def test_the_program_prints_what_it_prints_under_jax(name):
    wanted = json.loads(ported.NUMBERS.read_text())[name]
    within = 1e-5 if name == "gaussian_process" else 2e-3  # f64, and steps of training in f32
    assert not ported.differing(ported.run(name), wanted, within)


def test_no_line_but_the_imports_differs():
    assert len(ported.PROGRAMS) == 7
    assert all(ported.differing_lines(name) == 0 for name in ported.PROGRAMS)
    assert all("import jax" not in ported.here(name) for name in ported.PROGRAMS)


def test_another_output_is_seen():
    assert ported.differing("loss 1.50", "loss 1.52", 2e-3) == "1.50, not 1.52"
    assert ported.differing("tokens 3 [1, 2]", "tokens 3 [1, 3]", 1.0) == "2, not 3"
    assert "other words" in ported.differing("True 1.0", "False 1.0", 1.0)
    assert not ported.differing("loss 1.5001 step 3", "loss  1.5 step 3", 2e-3)
