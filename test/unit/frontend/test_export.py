"""Functions exported to a file and loaded again: values, derivatives, batches, arguments."""

import collections
import subprocess
import sys
import zipfile

import exported_functions as functions
import numpy as np
import pytest
from exported_functions import PROGRAMS, SAVED, Layer, Pair, X, exported
from tolerances import PROGRAM, assert_close

import anvl
import anvl.numpy as anp
from anvl import runtime

_FEW = 8  # units of bf16: the same program, also where it is inlined


def close(found, expected):
    leaves, structure = anvl.tree.flatten(found)
    others, other_structure = anvl.tree.flatten(expected)
    assert structure == other_structure
    for x, y in zip(leaves, others, strict=True):
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        assert_close(x, y, PROGRAM if x.dtype.itemsize > 2 else _FEW)


def modes(f, of):
    """The values, the gradients, a batch of gradients and a second derivative, of one program."""

    def computed(*args):
        slope = anvl.grad(f, wrt=of.wrt)
        batched = [anp.stack([x, x]) if i in of.batched else x for i, x in enumerate(args)]
        axes = tuple(0 if i in of.batched else None for i in range(len(args)))
        tangents = [anvl.tree.map(lambda x: 0.5 * x, args[i]) for i in of.wrt]

        def first(*moved):
            by_place = dict(zip(of.wrt, moved, strict=True))
            return f(*(by_place.get(i, x) for i, x in enumerate(args)))

        moved = [args[i] for i in of.wrt]
        return (
            f(*args),
            slope(*args),
            anvl.vmap(slope, in_axes=axes)(*batched),
            anvl.jvp(anvl.grad(first), tuple(moved), tuple(tangents)),
        )

    return anvl.jit(computed)(*of.args)


def loaded(export, tmp_path, **options):
    path = tmp_path / "function.anvl"
    export.save(path)
    return anvl.load(path, **options)


@pytest.mark.sweep(keep=5)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_loaded_function_has_the_values_and_derivatives_of_the_original(name, tmp_path):
    of = PROGRAMS[name]
    found = loaded(exported(name), tmp_path)
    assert found.__name__ == of.f.__name__
    close(modes(found, of), modes(of.f, of))


@pytest.mark.parametrize("path", sorted(SAVED.glob("*.anvl")), ids=lambda path: path.stem)
def test_files_of_earlier_versions_are_read(path):
    of = PROGRAMS[path.stem.partition("-")[0]]
    slope = anvl.value_and_grad(anvl.load(path), wrt=of.wrt)
    close(slope(*of.args), anvl.value_and_grad(of.f, wrt=of.wrt)(*of.args))


def test_there_are_files_of_this_version():
    assert {path.stem for path in SAVED.glob("*.anvl")} >= {f"{n}-0.1.0" for n in PROGRAMS}


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("name", ["mlp", "closed_over", "factored"])
def test_the_artifact_takes_the_constants_and_the_arguments(name):
    found, of = exported(name), PROGRAMS[name]
    assert found.custom_calls == (["lapack_dpotrf_ffi"] if name == "factored" else [])
    program = runtime.compile(found.artifact)
    constants = [found.constants[c] for c in found.manifest["artifact_constants"]]
    arrays = [runtime.put(x) for x in [*constants, *anvl.tree.leaves(of.args)]]
    close(program.execute(arrays)[0], of.f(*of.args))


def test_an_artifact_for_any_platform_calls_nothing():
    found = anvl.export(functions.factored, *PROGRAMS["factored"].args, platform="any")
    assert found.custom_calls == [] and found.manifest["platform"] == "any"


def test_checks_fail_as_in_the_original(tmp_path):
    def f(x):
        anvl.check(anp.all(x > 0), "x is as low as {low}", low=anp.min(x))
        return anp.sum(anp.log(x))

    export = anvl.export(f, X)
    assert export.manifest["artifact_state"] == [1, 2]
    found = loaded(export, tmp_path)
    assert_close(found(abs(X)), f(abs(X)), PROGRAM)
    with pytest.raises(anvl.CheckError, match=r"x is as low as -.*test_export\.py:\d+"):
        anvl.grad(found)(-abs(X))


def test_equal_arrays_are_stored_once():
    found = exported("closed_over")
    assert set(found.manifest["captured"].values()) == {*found.constants}
    assert sorted(np.size(x) for x in found.constants.values()) == [1, 12]


def test_equal_functions_are_equal_files_without_folders(tmp_path):
    data = exported("mlp").to_bytes()
    assert data == exported("mlp").to_bytes()
    assert b"exported_functions.py" in data and str(functions.__file__).encode() not in data


def test_containers_of_every_kind(tmp_path):
    ordered = collections.OrderedDict(b=X, a=2 * X)
    counted = collections.defaultdict(list, {1: X, 3: X})

    def f(pair, layer, *rest, last):
        return Pair(pair, [layer, rest]), last

    given = (Pair(X, {"y": [X, (X, None)]}), Layer(X, X, "sin"), ordered, counted)
    kept = {"last": {(1, "a"): X, (2, "b"): X}}
    found = loaded(anvl.export(f, *given, **kept), tmp_path)
    close(found(*given, **kept), f(*given, **kept))
    with pytest.raises(
        TypeError, match=r"layer: Layer with \('sin',\) against Layer with \('tanh'"
    ):
        found(given[0], Layer(X, X), *given[2:], **kept)


def test_static_arguments_stay_what_they_were(tmp_path):
    f = anvl.jit(lambda n, x, *, mode="sum": getattr(anp, mode)(x) * n, static=("n", "mode"))
    found = loaded(anvl.export(f, 3, X, mode="max"), tmp_path)
    close(found(3, X), f(3, X, mode="max"))
    close(anvl.grad(found, wrt="x")(3, x=X, mode="max"), anvl.grad(f, wrt="x")(3, X, mode="max"))
    with pytest.raises(ValueError, match=r"mode is static, and was 'max' .*, got 'sum'; export"):
        found(3, X, mode="sum")
    with pytest.raises(ValueError, match=r"n is static, and was 3 .*, got 3\.0"):
        found(3.0, X)
    last = loaded(anvl.export(lambda x, n: x * n[0], X, (2, 0.5), static="n"), tmp_path)
    close(last(X), 2 * X)
    close(last(X, (2, 0.5)), 2 * X)


@pytest.mark.parametrize(
    "value", [None, True, 2, -0.0, 1 - 2j, "text", b"\0\xff", (1, ("a", 2.5)), frozenset("ab"),
              np.dtype("int8"), float("inf")],
)  # fmt: skip
def test_static_values_that_a_file_holds(value, tmp_path):
    found = loaded(anvl.export(lambda x, v: x, 1.0, value, static="v"), tmp_path)
    assert found(2.0, value) == 2.0


def test_weak_arguments_are_numbers_of_any_value_that_fits(tmp_path):
    small = anvl.aval("i8", (2,))
    found = loaded(anvl.export(lambda x, n: x * (n + 1), small, 3), tmp_path)
    ones = np.ones(2, "i1")
    assert found(ones, 3).dtype == "i1" and found(ones, 126).tolist() == [127, 127]
    with pytest.raises(OverflowError, match=r"argument n: .* 128 does not fit i8"):
        found(ones, 127)
    with pytest.raises(OverflowError, match="200 does not fit i8"):
        anvl.jit(lambda x: found(x, 199))(ones)
    weak = loaded(anvl.export(lambda x: x * 2, 1.0), tmp_path)
    assert weak(3.0).weak_type and not weak(np.float32(3)).weak_type


def test_arguments_of_other_types_are_refused(tmp_path):
    found = loaded(exported("mlp"), tmp_path)
    params, x = PROGRAMS["mlp"].args
    with pytest.raises(TypeError, match=r"mlp: argument 2 \(params\['w2'\]\) is f32\[3\], but the"):
        found({**params, "w2": x[0]}, x)
    with pytest.raises(
        TypeError, match=r"params: dict with keys .* against dict with keys \['w1'\]"
    ):
        found({"w1": x}, x)
    with pytest.raises(TypeError, match=r"mlp: missing .*'x'; it was exported as mlp\(params, x\)"):
        found(params)


@pytest.mark.sweep(keep=0)
def test_a_class_is_found_by_its_name_and_never_imported(tmp_path):
    path = tmp_path / "layers.anvl"
    exported("layers").save(path)
    code = f"""
import anvl, dataclasses, sys
try:
    anvl.load({str(path)!r})
except anvl.ExportError as error:
    print(error)
assert "exported_functions" not in sys.modules
@dataclasses.dataclass
class Other:
    w: object
    b: object
    activation: str = "tanh"
anvl.tree.register_dataclass(Other, ["w", "b"], ["activation"])
f = anvl.load({str(path)!r}, classes={{"exported_functions:Layer": Other}})
print(f.__doc__)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "'exported_functions:Layer', which is not known here; import the module" in ran.stdout
    assert "net[1].b: f32[1], x: f32[2,3]), exported by anvl" in ran.stdout, ran.stderr


def test_classes_that_do_not_fit(tmp_path):
    export = exported("layers")
    with pytest.raises(anvl.ExportError, match=r"with the fields \['w', 'b'\]; Pair has \['left'"):
        loaded(export, tmp_path, classes={"exported_functions:Layer": Pair})
    with pytest.raises(anvl.ExportError, match=r"str, given for .*, is not registered"):
        loaded(export, tmp_path, classes={"exported_functions:Layer": str})


class Unsaved:
    """A static value without a form in a file."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


def test_what_no_file_can_hold_is_refused():
    with pytest.raises(anvl.ExportError, match=r"the static argument g is <function .*close over"):
        anvl.export(lambda x, g: g(x), 1.0, anp.sin, static="g")
    with pytest.raises(anvl.ExportError, match=r"the static argument v is .*Unsaved"):
        anvl.export(lambda x, v: x, 1.0, Unsaved(), static="v")
    made = collections.defaultdict(lambda: 0, a=1.0)
    with pytest.raises(anvl.ExportError, match=r"a defaultdict in the arguments of .* has the fac"):
        anvl.export(lambda x: x["a"], made)
    with pytest.raises(anvl.ExportError, match="called while a function is traced"):
        anvl.jit(lambda x: anvl.export(anp.sin, 1.0))(1.0)
    with pytest.raises(TypeError, match="export: takes a function, got 3 of type int"):
        anvl.export(3)
    with pytest.raises(ValueError, match=r"lambda.* is jitted, and says itself"):
        anvl.export(anvl.jit(lambda x: x), 1.0, static="x")


def test_the_version_of_stablehlo():
    assert exported("mlp").stablehlo_version == "1.15.0"
    tan = lambda x: anp.tan(x)  # noqa: E731
    assert b"StableHLO_v1.9.0" in anvl.export(tan, 1.0, stablehlo_version="1.9.0").artifact
    with pytest.raises(
        anvl.ExportError, match=r"stablehlo\.tan at .*test_export\.py:\d+ is not in"
    ):
        anvl.export(tan, 1.0, stablehlo_version="1.0.0")
    for version in ("0.1.0", "99.0.0", "1.x", 3):
        with pytest.raises(ValueError, match=r"is no version from 0\.9\.0 to"):
            anvl.export(tan, 1.0, stablehlo_version=version)


def test_a_file_takes_no_options_of_other_kinds(tmp_path):
    with pytest.raises(ValueError, match="holds one function and its constants; leave out"):
        loaded(exported("mlp"), tmp_path, constants={})


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path, link = tmp_path / "f.anvl", tmp_path / "link.anvl"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    exported("mlp").save(link)
    assert link.is_symlink() and path.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["f.anvl", "link.anvl"]
    with zipfile.ZipFile(path) as archive:
        assert all(entry.compress_size == entry.file_size for entry in archive.infolist())
    with pytest.raises(OSError):
        exported("mlp").save(tmp_path / "missing" / "f.anvl")


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        (None, TypeError, "the path must be text or an os.PathLike, got None"),
        (b"f.anvl", TypeError, "the path must be text or an os.PathLike, got b'f.anvl'"),
        ("", ValueError, "the path is empty; give the name of a file"),
        ("a\0b", ValueError, r"the path 'a\\x00b' has a zero byte"),
    ],
)
def test_a_path_that_names_no_file(path, error, message):
    program = anvl.export(lambda x: x, 1.0)
    with pytest.raises(error, match=f"^save: {message}"):
        program.save(path)
    with pytest.raises(error, match=f"^load: {message}"):
        anvl.load(path)


def test_a_file_in_no_folder_and_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = anvl.export(lambda x: x, 1.0)
    says = r"^save: there is no folder '.*none' for 'none/f.anvl'; make it first"
    with pytest.raises(FileNotFoundError, match=says):
        program.save("none/f.anvl")
    for folder in (".", "none/"):
        with pytest.raises(IsADirectoryError, match=f"^save: '{folder}' is a folder; name a file"):
            program.save(folder)
    with pytest.raises(IsADirectoryError, match=r"^load: '\.' is a folder; give a file in it"):
        anvl.load(".")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    def refuse(**_):
        raise PermissionError(13, "Permission denied", "a temporary file")

    monkeypatch.setattr("anvl.dialect.text.export_file.tempfile.mkstemp", refuse)
    with pytest.raises(PermissionError, match=r"save: Permission denied: '.*f\.anvl'"):
        anvl.export(lambda x: x, 1.0).save(tmp_path / "f.anvl")


@pytest.mark.parametrize(
    ("content", "says"), [(b"", "is empty"), (b" \n\n", "has 3 bytes, all of them blank")]
)
def test_an_empty_file_is_named(content, says, tmp_path):
    path = tmp_path / "f.mlir"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"^load: .*f\.mlir: the file {says}; was writing it int"):
        anvl.load(path)
