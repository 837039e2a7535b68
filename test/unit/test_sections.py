"""Every public function says what it takes and returns, and shows an example."""

import enum
import importlib
import inspect
import re

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.docstrings import of_fft, of_lax, of_linalg, of_nn, of_numpy, of_random
from anvl.docstrings.complete import complete, is_documented, is_named_tuple, parameters_of
from anvl.docstrings.entries import Entries

MODULES = (
    "anvl", "anvl.numpy", "anvl.numpy.linalg", "anvl.numpy.fft", "anvl.lax", "anvl.lax.linalg",
    "anvl.nn", "anvl.nn.initializers", "anvl.random", "anvl.optim", "anvl.optim.losses",
    "anvl.scipy.special", "anvl.scipy.fft", "anvl.scipy.interpolate", "anvl.scipy.ndimage",
    "anvl.scipy.signal", "anvl.scipy.cluster.vq", "anvl.scipy.sparse.linalg",
    "anvl.scipy.spatial.transform", "anvl.scipy.linalg", "anvl.scipy.stats",
    "anvl.scipy.optimize", "anvl.scipy.integrate", "anvl.tree", "anvl.tree_util", "anvl.ops",
    "anvl.windows", "anvl.image", "anvl.flatten_util", "anvl.ffi", "anvl.debug",
    "anvl.profiler", "anvl.safetensors", "anvl.testing", "anvl.testing.lit", "anvl.prim",
    "anvl.dialect", "anvl.passes",
)  # fmt: skip

#: They define or call what stays in the process: docs/your-own-op.md and docs/ffi.md, which run in
#: processes of their own, show them.
DEFINING = {"binary", "foreign_call", "unary"}


def functions(module):
    found = importlib.import_module(module)
    named = {name: getattr(found, name) for name in getattr(found, "__all__", dir(found))}
    return {name: f for name, f in named.items() if is_documented(f)}


def section(text, name):
    found = re.search(rf"^{name}\n-+\n(.*?)(?=^\w[\w ]+\n---|\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def described(text):
    """The parameters that a docstring describes: `a, b : array` are two."""
    lines = re.findall(r"^(\*{0,2}\w.*)$", section(text, "Parameters"), re.MULTILINE)
    return [name.strip() for line in lines for name in line.split(" : ")[0].split(",")]


def problems(name, f):
    text = inspect.getdoc(f) or ""
    wanted = sorted(p.name.strip("*") for p in parameters_of(f))
    if sorted(of.strip("*") for of in described(text)) != wanted:
        yield f"{name}: takes {wanted}, describes {described(text)}"
    returns = inspect.signature(f).return_annotation
    if returns not in ("None", None, "NoReturn") and not (
        section(text, "Returns") or section(text, "Yields")
    ):
        yield f"{name}: has no section Returns"
    if name not in DEFINING and ">>> " not in section(text, "Examples"):
        yield f"{name}: has no example"
    if re.search(r" : any(, optional)?$", section(text, "Parameters"), re.MULTILINE):
        yield f"{name}: a parameter has no entry"


@pytest.mark.parametrize("module", MODULES)
def test_every_function_has_its_sections(module):
    found = [line for name, f in functions(module).items() for line in problems(name, f)]
    assert not found, "\n".join(found)


#: Modules whose classes are for those who write ops, passes and tests: their pages are in docs/.
OF_AUTHORS = {"anvl.dialect", "anvl.passes", "anvl.prim", "anvl.testing", "anvl.testing.lit"}
#: Classes that are not called: made by functions, and shown there.
NOT_CALLED = {"Initializer"}


def classes(module):
    found = importlib.import_module(module)
    named = {name: getattr(found, name) for name in getattr(found, "__all__", dir(found))}
    return {
        name: c for name, c in named.items()
        if isinstance(c, type) and c.__module__.startswith("anvl.")
    }  # fmt: skip


def problems_of_class(name, c, is_of_authors):
    text = inspect.cleandoc(c.__dict__.get("__doc__") or "")
    if not text:
        yield f"{name}: has no docstring of its own"
    if issubclass(c, BaseException) or is_of_authors or name in NOT_CALLED:
        return
    yield from problems_of_fields(name, c, text) if is_named_tuple(c) else of_called(name, c, text)


def problems_of_fields(name, c, text):
    lines = re.findall(r"^(\w.*)$", section(text, "Attributes"), re.MULTILINE)
    described = [field for line in lines for field in line.split(" : ")[0].split(", ")]
    if sorted(described) != sorted(c._fields):
        yield f"{name}: has {sorted(c._fields)}, describes {sorted(described)}"
    if " : any" in text:
        yield f"{name}: a field has no entry"


def of_called(name, c, text):
    if ">>> " not in text:
        yield f"{name}: has no example"
    said = section(text, "Parameters") + section(text, "Attributes")
    is_made = name in MADE or issubclass(c, enum.Enum)  # an enumeration has its members
    taken = [] if is_made else [p for p in inspect.signature(c).parameters if "arg" not in p]
    missing = [p for p in taken if not re.search(rf"\b{p}\b", said)]
    if missing:
        yield f"{name}: does not describe {missing}"
    for member, f in vars(c).items():
        if inspect.isfunction(f) and not member.startswith("_") and not inspect.getdoc(f):
            yield f"{name}.{member}: has no docstring"


#: Classes that functions make, such as `asarray`, or with parameters that are none of their own.
MADE = {"Array", "Device", "Partial", "SparseMatrix", "ndarray"}


@pytest.mark.parametrize("module", MODULES)
def test_every_class_says_what_it_is(module):
    found = [
        line
        for name, c in classes(module).items()
        for line in problems_of_class(name, c, module in OF_AUTHORS)
    ]
    assert not found, "\n".join(found)


# -- what the tables say is true ---------------------------------------------------------------


DTYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "bool": np.bool_}
FLOAT, SAME, NUMBER, BOOL = "float", "same", "number", "bool"
CLAIMS = {
    of_numpy.FLOAT_OF_X: (1, FLOAT), of_numpy.SAME_AS_X: (1, SAME), of_numpy.BOOL_OF_X: (1, BOOL),
    of_numpy.FLOAT_OF_BOTH: (2, FLOAT), of_numpy.SAME_AS_BOTH: (2, SAME),
    of_numpy.BOOL_OF_BOTH: (2, BOOL), of_numpy.NUMBER_OF_X: (1, NUMBER),
    of_numpy.NUMBER_OF_BOTH: (2, NUMBER),
}  # fmt: skip


def dtype_problem(name, count, claim):
    """A dtype for which a function does not give what its docstring says."""
    f = getattr(anp, name)
    needed = len([p for p in parameters_of(f) if not p.is_optional])
    for short, dtype in DTYPES.items():
        shapes = [(2, 3), (3,)] if count == 2 else [(3, 3)]
        arguments = [anvl.aval(short, shape) for shape in shapes]
        arguments += [1] * (needed - count)  # such as the shift of `roll`
        try:
            found = anvl.eval_shape(f, *arguments, static=tuple(range(count, needed)))
        except (TypeError, ValueError):  # a dtype that it does not take
            continue
        wanted = {
            FLOAT: dtype if short[0] == "f" else None, SAME: dtype, BOOL: np.bool_,
            NUMBER: np.int32 if short == "bool" else dtype,
        }  # fmt: skip
        if found.shape != (shapes[0] if count == 2 else (3, 3)):
            return f"{name} of {short}: shape {found.shape}"
        if found.dtype != wanted[claim] and not (wanted[claim] is None and found.dtype.kind == "f"):
            return f"{name} of {short}: {found.dtype}"
    return None


@pytest.mark.parametrize("claim", CLAIMS)
def test_results_are_of_the_dtypes_that_docstrings_say(claim):
    count, kind = CLAIMS[claim]
    names = [name for name, text in of_numpy.NUMPY.results.items() if text == claim]
    found = [problem for name in names if (problem := dtype_problem(name, count, kind))]
    assert names and not found, "\n".join(found)


@pytest.mark.parametrize(
    "entries",
    [of_numpy.NUMPY, of_fft.FFT, of_lax.LAX, of_linalg.LINALG, of_nn.NN, of_random.RANDOM],
)
def test_links_lead_to_the_standards(entries):
    for name in entries.results:
        link = entries.link(name)
        assert link is None or (link.startswith("https://") and name in link)


X, V = anp.ones((2, 2)), anp.arange(2.0)
CALLS = {
    "List": [(anp.split, X, 2), (anvl.lax.split, V, (1, 1))],
    "Tuple": [(anp.unstack, X), (anp.meshgrid, V, V), (anp.broadcast_arrays, V, X),
              (anp.tril_indices, 3), (anp.ix_, anp.arange(2))],
    "Pair": [(anp.divmod, V, 2), (anp.modf, V), (anp.frexp, V), (anp.polydiv, V + 1, V + 1),
             (anvl.scipy.special.sici, V)],
    "Named": [(anp.linalg.eigh, X), (anp.unique_counts, V)],
    "Array": [(anp.linalg.det, X), (anp.allclose, V, V), (anp.vdot, V, V)],
    "bool": [(anp.isscalar, 1), (anp.iscomplexobj, V)], "int": [(anp.ndim, V), (anp.size, V)],
    "GradientTransformation": [(anvl.optim.adam, 0.1), (anvl.optim.clip, 1.0)],
}  # fmt: skip
KINDS = {
    "List": list, "Tuple": tuple, "Pair": tuple, "Named": tuple, "Array": anvl.Array, "bool": bool,
    "int": int, "GradientTransformation": anvl.optim.GradientTransformation,
}  # fmt: skip


@pytest.mark.parametrize("word", CALLS)
def test_results_are_of_the_kind_that_docstrings_say(word):
    for function, *arguments in CALLS[word]:
        said = section(function.__doc__, "Returns").replace(":", " ").split()[0]
        assert said == word, function
        found = function(*arguments)
        assert isinstance(found, KINDS[word]) and hasattr(found, "_fields") >= (word == "Named")
        assert word != "Pair" or len(found) == 2


# -- how they are put together -----------------------------------------------------------------

ENTRIES = Entries(
    {"x": "array", "axis": "int: The axis."},
    {"g": {"axis": "int: Another."}},
    {"f": "Array", "g": ""},
    lambda name: f"https://x/{name}" if name == "f" else None,
    {"g": ">>> 1\n1"},
)


def documented(*names):
    """The functions of this file, as if they were of anvl."""
    namespace = {name: globals()[name] for name in names}
    for function in namespace.values():
        function.__module__ = "anvl.tests"
    return namespace


def f(x, *rest, axis=0, **more):
    """Sum.

    More of it.

    Raises
    ------
    ValueError
        Never.

    >>> f(
    ...     1)
    1
    """


def g(axis):
    """Sum."""


def test_sections_are_added_in_their_order():
    complete(["f", "g", "none"], documented("f", "g"), ENTRIES)
    assert f.__doc__ == (
        "Sum.\n\nMore of it.\n\n"
        "Parameters\n----------\nx : array\n*rest : any\naxis : int, optional\n    The axis.\n"
        "**more : any\n\nReturns\n-------\nArray\n\nRaises\n------\nValueError\n    Never.\n\n"
        "References\n----------\nhttps://x/f\n\nExamples\n--------\n>>> f(\n...     1)\n1"
    )
    assert g.__doc__ == (
        "Sum.\n\nParameters\n----------\naxis : int\n    Another.\n\nExamples\n--------\n>>> 1\n1"
    )
    before = f.__doc__
    complete(["f"], documented("f"), ENTRIES)
    assert f.__doc__ == before


def test_parameters_are_those_of_the_signature():
    for module in ("anvl.numpy", "anvl.optim", "anvl.lax"):
        for function in functions(module).values():
            wanted = inspect.signature(function).parameters.values()
            stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
            found = [(stars.get(p.kind, "") + p.name, p.default is not p.empty) for p in wanted]
            assert parameters_of(function) == found, function


def test_a_missing_section_is_found():
    def h(x):
        """Sum.

        Parameters
        ----------
        y : array
        """

    assert len(list(problems("h", h))) == 3
