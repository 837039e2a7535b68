"""Sparse Jacobians and Hessians: patterns, directions, values, errors and planted faults."""

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.dialect.core.op import AnvlOp
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.window_params import ConvDims
from anvl.jacobians.coloring import column_coloring, star_coloring

LIMIT = 20 * rounding(PROGRAM, np.float64)
X = np.linspace(0.3, 1.9, 12)
GRID = np.linspace(0.2, 1.7, 30).reshape(5, 6)
ORDER = np.array([3, 1, 0, 2, -1])
BAND = np.diag(np.ones(12)) + np.diag(np.full(11, 2.0), 1)


def close(found, wanted):
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), LIMIT, LIMIT)


def laplacian(u):
    p = anp.pad(u, 1)
    return p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * u + u**3


def heat(c, _):
    return c.at[1:-1].add(0.1 * (c[2:] - 2 * c[1:-1] + c[:-2]) * c[1:-1]), None


def tridiagonal(x):
    p = anp.pad(x, 1)
    return p[2:] * p[1:-1] - anp.sin(p[:-2])


def pentadiagonal(x):
    p = anp.pad(x, 2)
    return x * (p[4:] + p[3:-1]) + p[1:-3] * p[:-4]


def rows_of(n):
    """Structure of a band in a square matrix of 12: how many elements."""
    return sum(min(12, i + n + 1) - max(0, i - n) for i in range(12))


# Function, argument, elements in the pattern, directions, mode.
JACOBIANS = {
    "tridiagonal": (tridiagonal, X, rows_of(1), 3, "forward"),
    "pentadiagonal": (pentadiagonal, X, rows_of(2), 5, "forward"),
    "diagonal": (lambda x: anp.where(x > 1, x**2, 0.0) * 2, X, 12, 1, "forward"),
    "blocks": (lambda x: anp.linalg.norm(x.reshape(4, 3), axis=1), X, 12, 1, "reverse"),
    "block softmax": (lambda x: anvl.nn.softmax(x.reshape(4, 3), axis=1), X, 36, 3, "forward"),
    "constant matrix": (lambda x: anp.asarray(BAND) @ anp.exp(x), X, 23, 2, "forward"),
    "known indices": (lambda x: x[ORDER] * 2, X, 5, 1, "forward"),
    "unknown indices": (lambda x: x[anp.argsort(x)[:2]], X, 24, 2, "reverse"),
    "sum": (lambda x: anp.sum(x * x), X, 12, 1, "reverse"),
    "cumulative sum": (anp.cumsum, X, 78, 12, "forward"),
    "update": (lambda x: x.at[2].set(x[0] * x[1]), X, 13, 2, "forward"),
    "convolution": (lambda x: anp.convolve(x, np.array([1.0, 0, 2.0])), X, 24, 2, "forward"),
    "laplacian": (laplacian, GRID, 30 * 5 - 2 * (5 + 6), 6, "forward"),
    "time steps": (
        lambda x: anvl.scan(heat, x, length=3)[0],
        X,
        66,  # as a band of 3, but for the ends, which stay
        7,
        "forward",
    ),
    "counter": (
        lambda x: anvl.fori_loop(1, 4, lambda i, c: c.at[i].set(c[i] * c[i - 1]), x),
        X,
        18,
        4,
        "forward",
    ),
    "while": (
        lambda x: anvl.while_loop(
            lambda c: c[0] < 2, lambda c: (c[0] + 1, c[1].at[1:].add(c[1][:-1] ** 2)), (0, x)
        )[1],
        X,
        12 + 11 + 10,
        3,
        "forward",
    ),
    "branches": (
        lambda x: anvl.cond(x[0] > 0, lambda y: y * 2, lambda y: y[::-1], x),
        X,
        24,
        2,
        "forward",
    ),
    "batch": (lambda x: anvl.vmap(anp.prod)(x.reshape(4, 3)), X, 12, 1, "reverse"),
    "inner gradient": (
        anvl.grad(lambda y: anp.sum(anp.sin(y) * y)),
        X,
        12,
        1,
        "forward",
    ),
    "constant": (lambda x: anp.ones(3), X, 0, 0, "forward"),
}


@pytest.mark.sweep(keep=12, part=4)
@pytest.mark.parametrize("name", JACOBIANS)
def test_a_jacobian_has_its_pattern_its_directions_and_the_values_of_the_dense_one(name):
    f, x, nnz, colors, mode = JACOBIANS[name]
    found = anvl.jacobian(f, sparsity="auto")(x)
    assert (found.nnz, found.colors, found.mode) == (nnz, colors, mode)
    close(found.todense(), anvl.jacfwd(f)(x))


@pytest.mark.parametrize(("is_reversed", "nnz"), [(False, 9), (True, 11)])
def test_zeros_of_a_known_kernel_count_where_the_window_meets_them(is_reversed, nnz):
    dims = ConvDims(0, 1, (2,), 1, 0, (2,), 0, 1, (2,))

    def f(x):
        return anvl.prim.convolution(
            x.reshape((1, 1, 12)),
            anp.asarray(np.array([[[1.0, 0, 0, 0]]])),
            dimension_numbers=dims,
            window_reversal=(is_reversed,),
            padding=((2, 0),),
            feature_group_count=1,
            batch_group_count=1,
        ).reshape((-1,))

    found = anvl.jacobian(f, sparsity="auto")(X)
    assert (found.nnz, found.colors) == (nnz, 1)
    close(found.todense(), anvl.jacfwd(f)(X))


def arrow(x):
    return anp.sum(x[0] * x[1:] ** 2) + anp.sum(x**3)


def rosenbrock(x):
    return anp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


HESSIANS = {
    "arrow": (arrow, X, 34, 2, "star"),
    "rosenbrock": (rosenbrock, X, 34, 3, "forward"),
    "separable": (lambda x: anp.sum(anp.sin(x)), X, 12, 1, "forward"),
    "linear": (lambda x: anp.sum(x * 2), X, 0, 0, "forward"),
    "dense": (lambda x: anp.sum(x) ** 3, X, 144, 12, "forward"),
    "plate": (lambda u: anp.sum(laplacian(u) ** 2), GRID, 284, None, None),
}


@pytest.mark.parametrize("name", HESSIANS)
def test_a_hessian_has_its_pattern_its_directions_and_the_values_of_the_dense_one(name):
    f, x, nnz, colors, mode = HESSIANS[name]
    found = anvl.hessian(f, sparsity="auto")(x)
    assert found.nnz == nnz
    if colors is not None:
        assert (found.colors, found.mode) == (colors, mode)
    assert found.colors <= 13  # of a plate, whose rows have 13 elements
    close(found.todense(), anvl.hessian(f)(x))


def test_formats_and_products():
    found = anvl.jacobian(tridiagonal, sparsity="auto")(X)
    dense = np.asarray(found.todense())
    data, (rows, columns) = found.coo()
    again = np.zeros(found.shape)
    again[rows, columns] = np.asarray(data)
    np.testing.assert_array_equal(again, dense)
    data, indices, indptr = found.csr()
    for i in range(12):
        part = slice(indptr[i], indptr[i + 1])
        np.testing.assert_array_equal(np.asarray(data)[part], dense[i, indices[part]])
    close(found @ X, dense @ X)
    close(found @ np.stack([X, X**2], 1), dense @ np.stack([X, X**2], 1))
    with pytest.raises(
        ValueError, match=r"SparseMatrix: .* has shape \(3,\); it must have 12 rows"
    ):
        found @ np.ones(3)
    assert "12x12, 34 elements in 3 colors by forward" in repr(found)


def test_results_and_arguments_are_trees_and_share_directions():
    def f(p, scale):
        return {"product": p["u"] * p["v"], "ends": anp.stack([p["u"][0], p["v"][-1]]) * scale}

    x = {"u": X, "v": X + 1}
    found = anvl.jacobian(f, sparsity="auto")(x, 2.0)
    dense = anvl.jacfwd(f)(x, 2.0)
    for result in dense:
        for argument in dense[result]:
            assert found[result][argument].colors == 2
            close(found[result][argument].todense(), dense[result][argument])

    def g(p):
        return anp.sum(p["u"] ** 2 * p["v"]) + p["v"][0] ** 3

    found, dense = anvl.hessian(g, sparsity="auto")(x), anvl.hessian(g)(x)
    for a in "uv":
        for b in "uv":
            close(found[a][b].todense(), dense[a][b])
    both = anvl.jacobian(lambda x, y: x * y[0], wrt=("y", 0), sparsity="auto")(X, X)
    close(both[0].todense(), np.outer(X, np.eye(12)[0]))
    close(both[1].todense(), np.eye(12) * X[0])


def test_it_is_transformed_and_closes_over_traced_values():
    def scaled(s):
        return anvl.jacobian(lambda x: x * s[::-1], sparsity="auto")(s)

    close(anvl.jit(scaled)(X).data, X[::-1])
    cubes = anvl.jacobian(lambda x: x**3, sparsity="auto")
    close(anvl.vmap(lambda x: cubes(x).todense())(GRID)[2], np.diag(3 * GRID[2] ** 2))
    close(anvl.grad(lambda x: anp.sum(cubes(x).data))(X), 6 * X)
    found, aux = anvl.jacobian(lambda x: (x**2, anp.sum(x)), has_aux=True, sparsity="auto")(X)
    close(found.todense(), np.diag(2 * X))
    close(aux, X.sum())


def test_custom_rules_give_the_pattern():
    @anvl.custom_jvp
    def rounded(x):
        return anp.round(x)

    rounded.defjvp(lambda primals, tangents: (rounded(*primals), tangents[0][::-1]))
    found = anvl.jacobian(rounded, sparsity="auto")(X)
    close(found.todense(), np.eye(12)[::-1])

    @anvl.custom_vjp
    def halved(x):
        return x / 2

    halved.defvjp(lambda x: (x / 2, x), lambda x, g: (3 * x * g,))
    found = anvl.jacobian(lambda x: halved(x)[1:], sparsity="auto")(X)
    assert found.colors == 1
    close(found.todense(), np.diag(3 * X)[1:])


def test_without_a_tangent_rule_the_pattern_is_that_of_reverse_mode(monkeypatch):
    rule = classmethod(AnvlOp.tangent.__func__)
    monkeypatch.setattr(OPS["anvl.cumprod"], "tangent", rule)
    found = anvl.jacobian(anp.cumprod, sparsity="auto")(X)
    assert (found.mode, found.nnz) == ("reverse", 78)
    close(found.todense(), anvl.jacrev(anp.cumprod)(X))
    with pytest.raises(anvl.MissingRule, match="cumprod"):
        anvl.jacobian(anp.cumprod, sparsity="auto", mode="forward")(X)


def test_a_dense_jacobian_takes_the_mode_of_fewer_directions():
    for f in (lambda x: anp.sum(x * x), lambda x: anp.outer(x, x)):
        close(anvl.jacobian(f)(X), anvl.jacfwd(f)(X))
    close(anvl.jacobian(lambda x: x * x, mode="reverse")(X), np.diag(2 * X))
    text = str(anvl.trace(anvl.jacobian(lambda x: anp.sum(x * x)), X).mlir())
    assert "anvl.vjp" in text and "anvl.jvp" not in text


# Patterns that are given


def test_a_given_pattern_is_taken():
    def f(x):  # the branch is never taken
        return x * x + anp.where(x > 100, x[::-1], 0.0)

    by_mask = anvl.jacobian(f, sparsity=np.eye(12, dtype=bool))(X)
    by_pair = anvl.jacobian(f, sparsity=(np.arange(12), np.arange(12)))(X)
    for found in (by_mask, by_pair):
        assert (found.nnz, found.colors) == (12, 1)
        close(found.data, 2 * X)
    assert anvl.jacobian(f, sparsity="auto")(X).colors == 2
    wide = anvl.jacobian(laplacian, sparsity=np.ones((5, 6, 5, 6), bool))(GRID)
    assert wide.nnz == 900
    found = anvl.hessian(arrow, sparsity=np.asarray(anvl.hessian(arrow)(X)) != 0)(X)
    assert found.mode == "star"


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("wrap", [lambda f: f, anvl.jit])
def test_a_given_pattern_that_lacks_elements_is_found(wrap, mode):
    wrong = anvl.jacobian(tridiagonal, sparsity=np.tri(12, dtype=bool), mode=mode)
    with pytest.raises(anvl.CheckError, match=r"lacks elements of tridiagonal: (row|column) \d+ "):
        wrap(wrong)(X)


def test_a_given_pattern_of_a_hessian_that_lacks_elements_is_found():
    with pytest.raises(anvl.CheckError, match="hessian: the given sparsity lacks elements"):
        anvl.hessian(rosenbrock, sparsity=np.eye(12, dtype=bool))(X)


@pytest.mark.parametrize(
    ("sparsity", "match"),
    [
        ("automatic", "jacobian: sparsity is 'automatic'; give 'auto'"),
        (np.ones((3, 3), bool), r"sparsity is bool\[3, 3\]; give 'auto', an array of bools of"),
        (np.ones((12, 12)), r"sparsity is float64\[12, 12\]"),
        (([0.5], [1]), r"a pair of float64\[1\] and int64\[1\]"),
        (([0, 1], [1]), r"a pair of int64\[2\] and int64\[1\]"),
        (([12], [1]), r"sparsity has row 12, but .* has 12 rows"),
        (([0], [-1]), r"sparsity has column -1, but .* has 12 columns"),
    ],
)
def test_a_wrong_sparsity_is_refused(sparsity, match):
    with pytest.raises(ValueError, match=match):
        anvl.jacobian(tridiagonal, sparsity=sparsity)(X)


def through_bits(x):
    bits = anvl.prim.bitcast_convert(x, dtype="i64")
    return anvl.prim.bitcast_convert(bits, dtype="f64")


def test_what_cannot_be_is_refused():
    eye = np.eye(12, dtype=bool)
    with pytest.raises(ValueError, match="jacobian: mode is 'sideways'; give 'forward'"):
        anvl.jacobian(tridiagonal, mode="sideways")
    with pytest.raises(ValueError, match="there are 2 result arrays and 1 in wrt; give 'auto'"):
        anvl.jacobian(lambda x: (x, x), sparsity=eye)(X)
    with pytest.raises(ValueError, match="hessian: sparsity is not symmetric"):
        anvl.hessian(rosenbrock, sparsity=np.tri(12, dtype=bool))(X)
    with pytest.raises(TypeError, match=r"with sparsity <lambda> must return one float scalar"):
        anvl.hessian(lambda x: x * x, sparsity="auto")(X)
    with pytest.raises(TypeError, match="only real floats have a Jacobian"):
        anvl.jacobian(lambda x: x.astype(int), sparsity="auto")(X)
    with pytest.raises(anvl.MissingRule):
        anvl.jacobian(through_bits, sparsity="auto")(X)


# Colourings


def test_colourings_separate_and_every_element_can_be_recovered():
    random = np.random.default_rng(5)
    for _ in range(25):
        mask = random.random((11, 9)) < random.uniform(0.05, 0.5)
        colors = column_coloring(*np.nonzero(mask), mask.shape)
        for row in mask:
            assert len(set(colors.of[row])) == row.sum()
        square = random.random((10, 10)) < random.uniform(0.05, 0.4)
        square |= square.T
        star = star_coloring(*np.nonzero(square), 10)
        assert star.colors <= 10
        for i, j in np.argwhere(square):
            own = [k for k in np.flatnonzero(square[i]) if star.of[k] == star.of[j]]
            other = [k for k in np.flatnonzero(square[j]) if star.of[k] == star.of[i]]
            assert len(own) == 1 or len(other) == 1


# Random programs


def random_program(random, steps):
    """A function of 6 numbers from ops that move, combine and select elements."""

    def cut(x, a):
        return anp.concatenate([x[a:], x[:1] * anp.ones(a)]) if a else x

    moves = (
        lambda x, y, a: anp.roll(x, a) * y,
        lambda x, y, a: anp.sin(x) + cut(y, a),
        lambda x, y, a: anp.cumsum(x)[::-1] * 0.1,
        lambda x, y, a: anp.where(y > 1, x, cut(x, a)),
        lambda x, y, a: anp.repeat(anp.sum(x.reshape(2, 3), axis=0), 2) * y,
        lambda x, y, a: x.at[a].set(y[0]),
        lambda x, y, a: x[np.arange(6) * (a + 1) % 6] + y,
        lambda x, y, a: anp.pad(y[1:-1] * x[:-2], (a % 3, 2 - a % 3)),
        lambda x, y, a: anp.sort(x.reshape(2, 3), axis=1).reshape(6) - y,
        lambda x, y, a: (x.reshape(2, 3).T * 2).reshape(6),
    )
    chosen = [(moves[random.integers(len(moves))], *random.integers(0, [9, 9, 6])) for _ in steps]

    def f(x):
        values = [x]
        for move, i, j, a in chosen:
            values.append(move(values[-1 - i % len(values)], values[j % len(values)], int(a)))
        return values[-1]

    return f


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("seed", range(40))
def test_random_programs_have_the_dense_jacobian(seed):
    check_random(seed)


def check_random(seed):
    random = np.random.default_rng(seed)
    f = random_program(random, range(random.integers(2, 6)))
    sparse, dense = anvl.jacobian(f, sparsity="auto"), anvl.jacfwd(f)
    for x in (random.uniform(0.5, 1.5, 6), np.array([0.0, 1, 1, 0, 2, 1])):  # zeros and ties
        close(sparse(x).todense(), dense(x))


def test_a_planted_fault_is_found_by_random_programs(monkeypatch):
    rules = OPS["stablehlo.concatenate"]

    def wrong(cls, deps, xs, /, dimension):
        return np.concatenate([xs[0], *[0 * x for x in xs[1:]]], dimension)

    monkeypatch.setattr(rules, "dependence", classmethod(wrong))
    with pytest.raises(AssertionError):
        for seed in range(8):
            check_random(seed)


def test_numpy_takes_a_sparse_matrix_for_its_array():
    found = anvl.hessian(lambda x: anp.sum(x[1:] * x[:-1] ** 2), sparsity="auto")(X)
    dense = np.asarray(found.todense())
    np.testing.assert_array_equal(np.asarray(found), dense)
    assert np.asarray(found, "float32").dtype == np.float32
    np.testing.assert_array_equal(np.ones(12) @ found, np.ones(12) @ dense)


def test_the_gradient_of_pinv_depends_on_all_of_its_matrix():
    """Its op has two operands of one shape but for the order of their last axes."""
    x = np.random.default_rng(0).normal(size=(3, 3, 2))
    slope = anvl.grad(lambda x: anp.sum(anp.linalg.pinv(x) ** 2))
    found, dense = anvl.jacobian(slope, sparsity="auto")(x), anvl.jacobian(slope)(x)
    close(found.todense(), dense)
    assert found.nnz == 3 * 6 * 6
