"""How arrays feel: what notebooks show, and the libraries that take arrays and give them."""

import copy
import pickle  # noqa: TID251  (people pickle arrays; anvl itself does not)
from html.parser import HTMLParser

import numpy as np
import pytest

import anvl
import anvl.numpy as anp

X = np.arange(6, dtype="f4").reshape(2, 3)

# -- text ------------------------------------------------------------------------------------------


class Text(HTMLParser):
    """The text of a page; refuses tags that are not closed."""

    def __init__(self, page):
        super().__init__()
        self.found, self.open = [], []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.found.append(data)


def shown(x):
    return Text(x._repr_html_()).found


def test_a_notebook_shows_type_and_values():
    facts = ["Array", "shape", "(2, 3)", "dtype", "float32", "device", "cpu:0", "memory"]
    assert shown(anp.asarray(X)) == [*facts, "24 bytes", str(X)]


def test_values_are_cut_as_numpy_cuts_them():
    text = shown(anp.zeros((200, 200)))
    assert "156.2 KiB" in text and "..." in text[-1] and len(text[-1]) < 500


def test_a_notebook_shows_weak_deleted_and_traced_arrays():
    x = anp.asarray(X)
    x.delete()
    assert "float32 (weak)" in shown(anvl.jit(lambda x: x)(2.0))
    assert shown(x)[-1] == "deleted, or donated to a program"
    pages = []
    anvl.jit(lambda x: (pages.append(shown(x)), x)[1])(X)
    assert pages[0][:5] == ["Tracer", "shape", "(2, 3)", "dtype", "float32"]
    assert pages[0][-1] == "no values: the function is being traced"


def test_what_a_notebook_shows_is_escaped():
    def inner(x):
        pages.append(x._repr_html_())
        return x

    pages = []
    code = compile("def f(x): return inner(x + 1)", "<b>&.py", "exec")
    names = {"inner": inner}
    exec(code, names)
    anvl.jit(names["f"])(X)
    assert "<b>" not in pages[0] and "&lt;b&gt;&amp;.py" in pages[0]


def test_the_device_is_named_where_it_is_not_the_default():
    cpu = anvl.runtime.cpu_client(2).devices
    x = anvl.runtime.put(X[0, :2], cpu[1].placement)
    assert repr(x) == "Array([0., 1.], dtype=float32, device='cpu:1')"
    assert "cpu:1" in shown(x)
    both = anvl.runtime.put(X[0, :2], anvl.runtime.sharded_placement(cpu))
    both.delete()
    assert repr(both).endswith("sharding=<2 devices; a copy on each>)") and "2 devices" in shown(
        both
    )
    with anvl.default_device(cpu[1]):
        assert repr(x) == "Array([0., 1.], dtype=float32)"


# -- Python ----------------------------------------------------------------------------------------


def test_iteration_gives_arrays_without_the_first_axis():
    rows = list(anp.asarray(X))
    assert [row.tolist() for row in rows] == X.tolist()
    first, *_, last = anp.asarray(X).ravel()
    assert (first, last) == (0, 5)
    assert 4.0 in anp.asarray(X) and 7.0 not in anp.asarray(X)
    with pytest.raises(anvl.TraceError, match=r"needs the value of an array"):
        anvl.jit(lambda x: 4.0 in x)(X)
    with pytest.raises(TypeError, match="iteration over an array without axes"):
        iter(anp.asarray(1.0))
    assert anvl.jit(lambda x: [2 * row for row in x])(X)[1].tolist() == [6, 8, 10]


def test_keys_and_numbers_survive_pickle_and_copy():
    for x in (anvl.random.key(3), anp.asarray(2.5), anp.zeros((0, 3), "bf16"), anp.asarray(X).T):
        for again in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy({"x": x})["x"]):
            assert again is not x and again.aval is x.aval
            assert again.numpy().tobytes() == x.numpy().tobytes()


@pytest.mark.parametrize("number", [True, 3, 2.5, 1 - 2j])
def test_numbers_and_back(number):
    kind = type(number)
    assert kind(anp.asarray(number)) == number and anp.asarray(number).item() == number


# -- other libraries -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["bool", "i1", "u2", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_dlpack_both_ways_with_numpy(dtype):
    x = np.arange(6).astype(dtype).reshape(2, 3)
    ours = anp.from_dlpack(x)
    assert isinstance(ours, anvl.Array) and ours.dtype == x.dtype
    back = np.from_dlpack(ours)
    np.testing.assert_array_equal(back, x)
    assert np.from_dlpack(anp.from_dlpack(x.T)).tolist() == x.T.tolist()


def test_dlpack_both_ways_with_torch():
    torch = pytest.importorskip("torch")
    x = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    ours = anp.from_dlpack(x)
    assert ours.tolist() == x.tolist()
    back = torch.from_dlpack(2 * ours)
    assert back.dtype == torch.float32 and back.tolist() == (2 * x).tolist()
    narrow = torch.from_dlpack(anp.ones(2, "bf16"))
    assert narrow.dtype == torch.bfloat16 and anp.from_dlpack(narrow).dtype == anp.bfloat16


def test_pandas_takes_arrays():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(anp.asarray(X), columns=list("abc"))
    assert table["b"].tolist() == [1, 4] and table.dtypes.tolist() == [np.dtype("f4")] * 3
    assert pandas.DataFrame({"x": anp.arange(3)})["x"].sum() == 3
    assert pandas.Series(anp.arange(3.0), index=list("xyz"))["z"] == 2
    assert anp.asarray(table).tolist() == X.tolist()
    assert anp.asarray(table["a"]).tolist() == [0, 3]


@pytest.mark.sweep(keep=0)  # it loads matplotlib
def test_matplotlib_takes_arrays():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    x = anp.linspace(0.0, 1.0, 5)
    (line,) = axes.plot(x, x * x)
    np.testing.assert_array_equal(line.get_ydata(), np.asarray(x * x))
    assert axes.imshow(anp.asarray(X)).get_array().shape == (2, 3)
    assert axes.hist(x, bins=anp.asarray([0.0, 0.5, 1.0]))[0].tolist() == [2, 3]
    axes.scatter(x, x, c=x, s=10 * x + 1)
    axes.fill_between(x, 0 * x, x)
    axes.errorbar(x, x, yerr=x)
    axes.set_xlim(x[0], x[-1])
    pyplot.close(figure)


def test_jaxtyping_checks_shapes_and_dtypes():
    jaxtyping = pytest.importorskip("jaxtyping")
    matrix = jaxtyping.Float[anvl.Array, "n m"]
    assert isinstance(anp.ones((2, 3)), matrix) and isinstance(anp.ones((2, 3), "bf16"), matrix)
    assert not isinstance(anp.ones(2), matrix) and not isinstance(anp.ones((2, 3), "i32"), matrix)
    assert not isinstance(np.ones((2, 3)), matrix)
    assert isinstance(anp.ones((2, 2), "i32"), jaxtyping.Integer[anvl.Array, "2 2"])
    assert isinstance(anp.asarray(True), jaxtyping.Bool[anvl.Array, ""])
    both = jaxtyping.Float[anp.ndarray, "n m"]  # arrays and tracers
    found = []
    anvl.jit(lambda x: (found.append(isinstance(x, both)), x)[1])(X)
    assert found == [True] and isinstance(anp.ones((2, 3)), both)
