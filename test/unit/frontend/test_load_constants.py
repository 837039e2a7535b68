"""A program as text at every stage, with the arrays that it captured beside it, loaded again."""

import ml_dtypes
import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.dispatch.lowering import STAGES

W = np.random.default_rng(0).normal(size=(3, 5))
HALVES = np.arange(5).astype(ml_dtypes.bfloat16)
SCALE = anp.array(2.5)
X = np.linspace(-1, 1, 5)


@anvl.jit
def product(x):
    return anp.sum(W @ x) * SCALE + anp.sum(anp.asarray(HALVES) * x)


def loss(x):
    return product(x) ** 2 + anp.sum(anvl.vmap(anp.sin)(x))


@pytest.fixture(scope="module")
def lowered():
    return anvl.jit(anvl.grad(loss)).lower(X)


@pytest.fixture
def path(lowered, tmp_path):
    path = tmp_path / "loss.mlir"
    path.write_text(lowered.mlir("anvl"))
    return path


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=rounding(PROGRAM))


@pytest.mark.sweep(keep=6)
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("as_file", [True, False])
def test_every_stage_is_read_back_and_transformed(lowered, tmp_path, stage, as_file):
    constants = lowered.constants(stage)
    assert len(constants) == (2 if stage in ("constants", "stablehlo") else 3)
    if as_file:
        constants = tmp_path / "constants.npz"
        np.savez(constants, **{k: np.asarray(x) for k, x in lowered.constants(stage).items()})
    (tmp_path / "program.mlir").write_text(lowered.mlir(stage))
    loaded = anvl.load(tmp_path / "program.mlir", constants=constants)
    close(loaded(X), anvl.grad(loss)(X))
    close(
        anvl.jacrev(loaded)(X),
        anvl.hessian(loss)(X),
    )
    close(anvl.vmap(loaded)(np.stack([X, 2 * X])), anvl.vmap(anvl.grad(loss))(np.stack([X, 2 * X])))


def test_text_is_read_with_constants_too(lowered):
    loaded = anvl.from_stablehlo(lowered.mlir("anvl"), constants=lowered.constants("anvl"))
    close(loaded(x=X), anvl.grad(loss)(X))


def test_constants_that_are_arguments_may_be_given_in_the_call(lowered):
    loaded = anvl.from_stablehlo(lowered.mlir())
    close(loaded(*lowered.constants().values(), X), anvl.grad(loss)(X))
    names = list(lowered.constants())
    partly = anvl.from_stablehlo(lowered.mlir(), constants={names[1]: HALVES})
    close(partly(W, X), anvl.grad(loss)(X))


def test_the_names_of_a_stage_that_does_not_exist(lowered):
    with pytest.raises(ValueError, match="constants: there is no stage 'hlo'; anvl: as traced"):
        lowered.constants("hlo")


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        (None, ValueError, r"captures captured0: f64\[3,5\], captured1: .*; give constants="),
        ({"captured1": None}, ValueError, r"captures captured1: f32\[\]; give constants="),
        ({"captured9": W}, ValueError, "no array 'captured9', did you mean .*; it captures: capt"),
        (
            {"captured0": W.astype("f")},
            ValueError,
            r"'captured0' is f32\[3, 5\], but .* f64\[3,5\]",
        ),
        ({"captured0": W.T}, ValueError, r"'captured0' is f64\[5, 3\], but .* f64\[3,5\]"),
        ({"captured0": object()}, TypeError, "constant 'captured0' is no array, but object"),
    ],
)
def test_other_constants_are_refused(lowered, path, change, error, says):
    constants = None if change is None else {**lowered.constants("anvl"), **change}
    if constants is not None:
        constants = {name: x for name, x in constants.items() if x is not None}
    with pytest.raises(error, match=rf"^load: .*loss.mlir: .*{says}"):
        anvl.load(path, constants=constants)


def test_files_that_are_no_arrays_by_name_are_refused(path, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"load: .*: No such file.*none.npz"):
        anvl.load(path, constants=tmp_path / "none.npz")
    np.save(tmp_path / "one.npy", W)
    (tmp_path / "broken.npz").write_bytes(b"PK\3\4 and no more")
    (tmp_path / "empty.npz").write_bytes(b"")
    for name in ("one.npy", "broken.npz", "empty.npz", "loss.mlir"):
        with pytest.raises(ValueError, match=f"{name} is no .npz file of arrays, as numpy.savez"):
            anvl.load(path, constants=tmp_path / name)


def test_a_file_of_jax_has_its_constants(path):
    of_jax = __file__.replace("test_load_constants.py", "jax_programs/sizes.jaxexport")
    with pytest.raises(ValueError, match=r"jax.export holds its constants; leave out constants="):
        anvl.load(of_jax, constants={})
