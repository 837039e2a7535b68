"""Programs that a second process finds on disk before it lowers them, and those that it must not.

Each test runs one program in several processes that share a cache, and asks which passes they
imported: a process that lowers needs them, and one that finds a program does not.
"""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import anvl
from anvl.dispatch.jit_options import DEFAULT
from anvl.dispatch.programs import traced_form as forms
from anvl.runtime import Target, default_placement, disk_cache
from anvl.runtime.settings import runtime_settings

pytestmark = pytest.mark.skipif(not disk_cache.is_supported(), reason="files have no owners here")

# The programs here are small: every one is worth keeping.
START = """
import os, sys, warnings
import numpy
import anvl, anvl.numpy as np
from anvl.runtime.disk_cache import programs
programs._WORTH_SECONDS = 0.0
"""
END = """
print("lowered" if "anvl.passes.pipelines.jit_pipeline" in sys.modules else "found")
"""
X = "numpy.arange(6, dtype='f').reshape(2, 3)"
ABOVE = f"""
x = {X}
w = numpy.linspace(-1, 1, 6, dtype='f').reshape(3, 2)
"""


def run(code, cache, *options, **environment):
    """Output of a fresh process: the lines of the program, and whether it lowered."""
    environment = {"ANVL_NUM_CPU_DEVICES": "2"} | environment
    inherited = {k: v for k, v in os.environ.items() if k not in ("ANVL_CACHE", "XDG_CACHE_HOME")}
    whole = START + ABOVE + textwrap.dedent(code) + END
    done = subprocess.run(
        [sys.executable, *options, "-c", whole],
        env=inherited | {"ANVL_CACHE_DIR": str(cache)} | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    *lines, how = done.stdout.splitlines()
    return lines, how, done.stderr


def runs(cache, *codes, **environment):
    """How each process came to its program, in order."""
    return [run(code, cache, **environment)[1] for code in codes]


FOUND = {
    "gradient": "print(anvl.jit(anvl.grad(lambda w: np.sum(np.tanh(x @ w))))(w))",
    "batch": "print(anvl.jit(anvl.vmap(lambda r: np.sort(r)[::-1]))(x))",
    "linear algebra": "print(anvl.jit(lambda x: np.linalg.cholesky(x @ x.T + np.eye(2)))(x))",
    "loop": "print(anvl.jit(lambda x: anvl.fori_loop(0, 5, lambda i, x: x * 1.5 - i, x))(x))",
    "captured": "print(anvl.jit(lambda y: y @ w + w[0] + numpy.float32(3))(x))",
    "captured twice": """
        same = w.copy()
        print(anvl.jit(lambda y: y @ w - (y + 1) @ same)(x))
    """,
    "a stack of captured arrays": """
        layers = [numpy.eye(3, dtype="f") * k for k in range(1, 9)]
        def f(y):
            for layer in layers:
                y = np.tanh(y @ layer)
            return y
        print(anvl.jit(f, roll=True)(x))
    """,
    "donated": """
        given = anvl.device_put(x)
        print(anvl.jit(lambda y: y * 2, donate="y")(given), given.is_deleted())
    """,
    "layers": """
        def f(x):
            y = anvl.nn.softmax(anvl.nn.gelu(x)) + np.where(x > 1, np.max(x, axis=0), 0)
            return np.sum(y * anvl.lax.rsqrt(1 + x * x))
        print(anvl.jit(anvl.hessian(f))(x)[0, 0])
    """,
    "containers": "print(anvl.jit(lambda t: {'b': t['a'] + 1, 'c': (t['a'], 2)})({'a': x}))",
    "a number": "print(anvl.jit(lambda x, k: x * k)(x, 3), anvl.jit(lambda k: k + 1)(2))",
    "a custom rule": """
        @anvl.custom_vjp
        def f(x): return x * x
        f.defvjp(lambda x: (x * x, x), lambda x, g: (g * 10 * x,))
        print(anvl.jit(anvl.grad(lambda x: np.sum(f(x))))(x))
    """,
    "a halved derivative": """
        y, back = anvl.vjp(lambda w: np.tanh(x @ w), w)
        print(y, back(np.ones_like(y)))
    """,
    "checks": """
        def f(x):
            anvl.check(np.all(x >= 0), "negative")
            anvl.check(x[0] < 7, "too large, {}", np.max(x))
            return x + 1, x * 2
        f = anvl.jit(anvl.vmap(f))
        print(f(x))
        for bad in (-x, x + 6):
            try:
                f(bad)
            except anvl.CheckError as error:
                print(error, error.values, error.index, error.members, error.location)
    """,
    "over a mesh": """
        from anvl.sharding import Mesh, P, Sharding
        mesh = Mesh({"d": 2})
        rows = Sharding(mesh, P("d"))
        cut = anvl.device_put(x, rows)
        def f(x):
            anvl.check(np.all(x >= 0), "negative")
            return x @ w, np.sum(x)
        f = anvl.jit(f, out_shardings=(None, Sharding(mesh, P())))
        y, total = f(cut)
        print(y, y.sharding, total, total.sharding)
        try:
            f(-cut)
        except anvl.CheckError as error:
            print(error)
        given = cut + 1
        g = anvl.jit(lambda x: x * 2, donate="x", out_shardings=rows)
        print(g(given), given.is_deleted())
    """,
    "beside ops of one's own": """
        from anvl.dialect import unary, F, emit
        unary("my.twice", lambda x: emit.add(x, x), F, lambda g, x, y: emit.add(g, g))
        print(anvl.jit(lambda x: np.tanh(x) * 2)(x))
    """,
    "an option": "print(anvl.jit(lambda x: x + 1, compiler_options="
    "{'xla_cpu_enable_fast_math': True})(x))",
}


@pytest.mark.sweep(keep=2, part=3)
@pytest.mark.parametrize("code", FOUND.values(), ids=FOUND)
def test_a_second_process_lowers_nothing_and_has_the_same_results(tmp_path, code):
    first = run(code, tmp_path, PYTHONHASHSEED="1")
    second = run(code, tmp_path, PYTHONHASHSEED="2")
    assert (first[1], second[1]) == ("lowered", "found")
    assert first[0] == second[0]
    assert first[2] == second[2] == ""


def test_what_is_found_needs_neither_passes_nor_what_makes_arrays_of_lists(tmp_path):
    code = f"""
        x = {X}
        anvl.jit(anvl.grad(lambda x: np.sum(np.tanh(x @ x.T))))(x)
        for name in ("anvl.passes", "anvl.numpy.arrays.creation"):
            print(name in sys.modules)
    """
    assert run(code, tmp_path)[1] == "lowered"
    assert run(code, tmp_path) == (["False", "False"], "found", "")


def test_the_stages_are_made_when_they_are_wanted(tmp_path):
    code = """
        f = anvl.jit(lambda x: np.sin(x) + 1)
        y = f(x)
        assert ("anvl.passes.pipelines.jit_pipeline" in sys.modules) != FOUND
        lowered = f.lower(x)
        print(lowered.mlir(), lowered.report(), lowered.compile()(x) - y)
        print(f.cache_info().programs)
    """
    first = run("FOUND = False\n" + textwrap.dedent(code), tmp_path)
    second = run("FOUND = True\n" + textwrap.dedent(code), tmp_path)
    assert first[0] == second[0]


def test_a_donation_without_a_use_warns_in_every_process(tmp_path):
    code = "print(anvl.jit(lambda y: y.sum(), donate='y')(anvl.device_put(x)))"
    first, second = run(code, tmp_path), run(code, tmp_path)
    assert second[1] == "found"
    assert first[2] == second[2]
    assert "no result can use the memory of the donated y" in second[2]


# Pairs whose second must not be found by what the first one left, with the same lines.
OTHER = {
    "rule": """
        @anvl.custom_vjp
        def f(x): return x * x
        f.defvjp(lambda x: (x * x, x), lambda x, g: (g * {} * x,))
        print(anvl.jit(anvl.grad(lambda x: np.sum(f(x))))(x))
    """,
    "message": """
        def f(x):
            anvl.check(np.all(x < 0), "{}")
            return x
        try:
            anvl.jit(f)(x)
        except anvl.CheckError as error:
            print(error)
    """,
    "where results are": """
        from anvl.sharding import Mesh, P, Sharding
        mesh = Mesh({{"d": 2}})
        rows = anvl.device_put(numpy.ones((4, 4), "f"), Sharding(mesh, P("d")))
        f = anvl.jit(lambda x: x + 1, out_shardings=Sharding(mesh, P({})))
        print(f(rows).sharding)
    """,
    "where arguments are": """
        from anvl.sharding import Mesh, P, Sharding
        cut = anvl.device_put(numpy.ones((4, 4), "f"), Sharding(Mesh({{"d": 2}}), P({})))
        print(anvl.jit(lambda x: x + 1)(cut).sharding)
    """,
    "names of axes": """
        from anvl.sharding import Mesh, P, Sharding
        cut = anvl.device_put(numpy.ones((4, 4), "f"), Sharding(Mesh({{{0}: 2}}), P({0})))
        print(anvl.jit(lambda x: x + 1)(cut).sharding)
    """,
    "precision": """
        with anvl.default_matmul_precision({}):
            print(anvl.jit(lambda x: x @ w)(x))
    """,
    "one captured element": """
        k = numpy.array([{}], "f")
        print(anvl.jit(lambda x: x * k)(x))
    """,
    "which captured arrays are equal": """
        one, two = numpy.ones(3, "f"), numpy.ones(3, "f") * {}
        print(anvl.jit(lambda x: x * one + (x + 1) * two)(x))
    """,
    "roll": """
        def f(y):
            for _ in range(50):
                y = np.sin(y) + 0.1
            return y
        print(anvl.jit(f, roll={})(x))
    """,
    "donated": "print(anvl.jit(lambda y, z: (y * 2, z), donate={})(x, x))",
    "option": "print(anvl.jit(lambda y: y * 2, compiler_options="
    "{{'xla_backend_optimization_level': {}}})(x))",
}
VALUES = {
    "rule": ("10", "20"),
    "message": ("some", "other"),
    "where results are": ("'d'", "None, 'd'"),
    "where arguments are": ("'d'", "None, 'd'"),
    "names of axes": ("'d'", "'e'"),
    "precision": ("'default'", "'highest'"),
    "one captured element": ("2", "3"),
    "which captured arrays are equal": ("1", "2"),
    "roll": ("True", "False"),
    "donated": ("'y'", "'z'"),
    "option": ("0", "1"),
}


@pytest.mark.sweep(keep=1, part=2)
@pytest.mark.parametrize("name", OTHER)
def test_another_program_is_another_form(tmp_path, name):
    codes = [OTHER[name].format(value) for value in VALUES[name]]
    before = [run(code, tmp_path / str(i))[0] for i, code in enumerate(codes)]
    found = [run(code, tmp_path / "shared") for code in [*codes, *codes]]
    assert [how for _, how, _ in found] == ["lowered", "lowered", "found", "found"]
    assert [lines for lines, _, _ in found] == before * 2


def test_the_key_has_all_that_lowering_depends_on(monkeypatch, tmp_path):
    place, captured = default_placement(), [np.float32(2), np.ones(3), np.ones(3)]
    monkeypatch.setattr(forms, "source_stamp", lambda: "source")
    monkeypatch.setattr(forms, "own_dialects", lambda: ())  # those of other tests

    def key(f=lambda x: x + 1, options=DEFAULT):
        program = anvl.jit(f).trace(anvl.aval("f32", (3,))).program
        program.captured = captured
        with runtime_settings(cache=True, cache_dir=tmp_path):
            return forms.traced_form(program, place, options).key

    changes = (
        lambda: monkeypatch.setattr(forms, "source_stamp", lambda: "other"),
        lambda: monkeypatch.setattr(place.client, "target", Target("cpu", "none")),
        lambda: monkeypatch.setattr(place.client, "name", "other"),
        lambda: monkeypatch.setitem(globals(), "DEFAULT", DEFAULT._replace(donated=(0,))),
        lambda: monkeypatch.setitem(globals(), "DEFAULT", DEFAULT._replace(roll=False)),
        lambda: captured.__setitem__(0, np.float32(3)),
        lambda: captured.__setitem__(0, np.int32(3)),
        lambda: captured.__setitem__(2, np.zeros(3)),
        lambda: captured.append(np.ones(4)),
    )
    found = [key(), key(lambda x: x + 2)]
    for change in changes:
        change()
        found.append(key(options=DEFAULT))
    assert len(set(found)) == len(found)
    captured[1] = np.zeros(3)
    are_equal = key()
    captured[1] = -np.zeros(3)  # equal numbers, other bits
    assert key() != are_equal
    captured[1:3] = [np.ones(3), np.ones(3)]  # of which the program is not told
    assert key() == are_equal
    with runtime_settings(cache=False):
        program = anvl.jit(lambda x: x).trace(1.0).program
        assert forms.traced_form(program, place, DEFAULT) is None
    assert key() is not None
    monkeypatch.setattr(forms, "own_dialects", lambda: ("my", "func"))
    with runtime_settings(cache=True, cache_dir=tmp_path):
        program = anvl.jit(lambda x: x).trace(1.0).program
        assert forms.traced_form(program, place, DEFAULT) is None


LOWERED = {
    "ops of one's own": """
        from anvl.dialect import unary, F, emit
        unary("my.twice", lambda x: emit.add(x, x), F, lambda g, x, y: emit.add(g, g))
        print(anvl.jit(lambda x: anvl.prim.my.twice(x))(x))
    """,
    "ops of one's own, deep": """
        from anvl.dialect import unary, F, emit
        unary("my.twice", lambda x: emit.add(x, x), F, lambda g, x, y: emit.add(g, g))
        f = anvl.checkpoint(lambda x: np.sum(anvl.prim.my.twice(x)))
        loop = lambda x: anvl.fori_loop(0, 3, lambda i, y: y * f(x), np.sum(x))
        print(anvl.jit(anvl.vmap(anvl.grad(loop)))(x))
    """,
    "a callback": """
        shown = anvl.aval("f32", (2, 3))
        print(anvl.jit(lambda x: anvl.pure_callback(lambda v: v + 1, shown, x))(x))
    """,
    "a bucket": "print(anvl.jit(lambda x: x + 1, bucket={'x': 1})(x))",
    "the cache is off": """
        with anvl.config(cache=False):
            print(anvl.jit(lambda x: x + 1)(x))
    """,
}


@pytest.mark.sweep(keep=1, part=2)
@pytest.mark.parametrize("code", LOWERED.values(), ids=LOWERED)
def test_what_else_decides_is_lowered_each_time(tmp_path, code):
    first, second = run(code, tmp_path), run(code, tmp_path)
    assert (first[1], second[1]) == ("lowered", "lowered")
    assert first[0] == second[0]
    assert not list(tmp_path.glob("*.alias"))


PROGRAM = "print(anvl.jit(lambda x: np.sin(x) + 1)(x))"


@pytest.mark.sweep(keep=2, part=3)
@pytest.mark.parametrize("kind", ["alias", "program"])
@pytest.mark.parametrize("damage", ["truncated", "empty", "other", "gone", "other's", "written"])
def test_a_damaged_entry_is_lowered_and_written_again(tmp_path, kind, damage):
    lines, how, _ = run(PROGRAM, tmp_path)
    path = next(tmp_path.glob(f"*.{kind}"))
    good = path.read_bytes()
    if damage == "gone":
        path.unlink()
    elif damage == "other":  # of another program, as it was written
        run(PROGRAM.replace("sin", "cos"), tmp_path)
        path.write_bytes(next(p for p in tmp_path.glob(f"*.{kind}") if p != path).read_bytes())
    elif damage == "written":
        path.chmod(0o666)
    elif damage == "other's":
        path.write_bytes(good[:20] + bytes(32) + good[52:])  # another seal
    else:
        path.write_bytes(good[:-3] if damage == "truncated" else b"")
    again, how, said = run(PROGRAM, tmp_path)
    assert (again, how) == (lines, "lowered")
    assert ("CacheWarning" in said) == (damage != "gone")
    if damage == "written":  # a folder in which others can write is not used
        return
    assert run(PROGRAM, tmp_path) == (lines, "found", "")


def test_a_source_that_changes_while_a_process_runs_turns_it_off(tmp_path):
    """The modules of such a process may be older than the files that the stamp is of."""
    code = """
        import anvl.core.importing as importing
        importing.STARTED -= 10 * 365 * 86400
        print(anvl.jit(lambda x: np.sin(x) + 1)(x))
    """
    assert runs(tmp_path, code, code) == ["lowered", "lowered"]
    assert not list(tmp_path.glob("*.alias"))
    assert len(list(tmp_path.glob("*.program"))) == 1


def test_another_source_is_another_form(tmp_path):
    code = """
        from anvl.dispatch.programs import traced_form
        stamp = traced_form.source_stamp()
        traced_form.source_stamp = lambda: stamp + {}
        print(anvl.jit(lambda x: np.sin(x) + 1)(x))
    """
    codes = [code.format(of) for of in ("''", "'1'", "''")]
    assert runs(tmp_path, *codes) == ["lowered", "lowered", "found"]
    assert len(list(tmp_path.glob("*.program"))) == 1


def test_forked_children_find_what_their_parent_left(tmp_path):
    code = """
        f = anvl.jit(lambda x: np.sin(x) + 1)
        child = os.fork()
        if child:
            status = os.waitpid(child, 0)[1]
        f(x)
        if not child:
            programs.flush()
            os._exit(int("anvl.passes.pipelines.jit_pipeline" in sys.modules))
        print(os.waitstatus_to_exitcode(status))
    """
    assert run(code, tmp_path) == (["1"], "found", "")
    assert run(code, tmp_path) == (["0"], "found", "")
