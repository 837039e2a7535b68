"""A Python number that a dtype does not hold is refused: in the text, and as an argument."""

import inspect

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import random
from anvl.core import ranges
from anvl.dialect.core.types import dtype_name, numpy_dtype, numpy_of

U8, F16 = np.array([1, 2], "u1"), np.array([1, 2], "f2")
ADD = anvl.jit(lambda x, n: x + n)


@pytest.mark.parametrize(
    ("value", "dtype", "fits"),
    [
        (255, "ui8", True), (256, "ui8", False), (-1, "ui64", False), (-128, "i8", True),
        (65504, "f16", True), (65519, "f16", True), (65520, "f16", False), (65520.0, "f16", False),
        (-65520.0, "f16", False), (1e300, "f32", False), (1e300, "f64", True),
        (10**400, "f64", False), (3.39e38, "bf16", True), (3.4e38, "bf16", False),
        (449.0, "f8E4M3FN", True), (500.0, "f8E4M3FN", False), (float("inf"), "f16", True),
        (float("nan"), "f16", True), (300.5, "ui8", False), (255.5, "ui8", True),
        (-0.5, "ui8", True), (1e10, "i32", False), (float("nan"), "i32", False),
        (float("inf"), "i64", False), (np.int32(300), "ui8", False),
        (1e300j, "c64", False), (1 + 1j, "c64", True),
        (1e300j, "c128", True), (1e300, "c64", False), (1e-300, "f16", True), (7, "bool", True),
    ],
)  # fmt: skip
def test_what_fits(value, dtype, fits):
    if fits:
        ranges.check_fits(value, numpy_dtype(dtype))
    else:
        with pytest.raises(OverflowError, match=f"does not fit {dtype}, "):
            ranges.check_fits(value, numpy_dtype(dtype))


@pytest.mark.parametrize(
    "call",
    [
        lambda: anvl.jit(lambda x: x)(1e300),
        lambda: anvl.jit(lambda x, y=0: x)(-1e300),
        lambda: anvl.jit(lambda x: x)(1e300j),
        lambda: anp.asarray(F16) + 1e10,
        lambda: 1e10 + anp.asarray(F16),
        lambda: anp.add(F16, 70000),
        lambda: anvl.jit(lambda x: x * 1e10)(F16),
        lambda: anvl.jit(lambda: 1e300)(),
        lambda: anp.asarray(F16).at[0].set(1e10),
        lambda: anp.full((2,), 1e10, "f16"),
        lambda: anp.full((2,), 70000, "f16"),
        lambda: anp.asarray([1.0, 1e300]),
        lambda: anp.asarray(70000, "f16"),
        lambda: anp.where(U8 > 1, F16, 1e10),
        lambda: anp.linspace(0, 1e10, 3, dtype="f16"),
        lambda: anp.linspace(0, 300, 3, dtype="ui8"),
        lambda: anp.full((2,), 1e10, "i32"),
        lambda: anp.asarray([1.5, 300.0], "ui8"),
        lambda: anp.asarray(anp.abs(300), "ui8"),
        lambda: anp.asarray([anp.abs(300), 1], "ui8"),
        lambda: anvl.jit(lambda x: x + anp.abs(300))(U8),
        lambda: anvl.jvp(lambda x: x * x, (F16,), (F16,)) and anvl.vjp(anp.sum, F16)[1](1e5),
        lambda: anvl.linearize(anp.sin, F16[0])[1](1e5),
    ],
)
def test_numbers_in_the_text_that_do_not_fit_are_refused(call):
    with pytest.raises(
        OverflowError, match=r"does not fit (f16|f32|float32|c64|complex64|ui8|i32), "
    ):
        call()


def test_infinity_and_what_is_cast_knowingly_stay():
    assert (anp.asarray(F16) + float("inf")).tolist() == [float("inf")] * 2
    assert anp.asarray(np.float64(1e300)).astype("f4").item() == float("inf")
    assert anp.asarray(1e300, "f8").item() == 1e300
    assert anvl.jit(lambda x, n: x + anp.asarray(n).astype("u1"))(U8, 300).tolist() == [45, 46]


def branches(pred, x, n):
    return anvl.cond(pred, lambda x, n: x + n, lambda x, n: x, x, n)


PROGRAMS = {
    "plain": (ADD, (U8, 300)),
    "below": (ADD, (U8, -1)),
    "wide": (ADD, (np.ones(2, "u8"), -1)),
    "float": (ADD, (F16, 1e10)),
    "integer to float": (ADD, (F16, 70000)),
    "eager": (lambda x, n: x + n, (anp.asarray(U8), anp.abs(300))),
    "nested": (anvl.jit(lambda x, n: anvl.jit(lambda n, x: x * n)(n, x)), (U8, 300)),
    "literal for a nested one": (anvl.jit(lambda x: ADD(x, 300)), (U8,)),
    "vmap": (anvl.vmap(ADD, in_axes=(0, None)), (U8, 300)),
    "vmap in jit": (anvl.jit(anvl.vmap(ADD, in_axes=(0, None))), (U8, 300)),
    "grad": (anvl.grad(lambda x, s: anp.sum(x * s)), (F16, 1e10)),
    "grad in jit": (anvl.jit(anvl.grad(lambda x, s: anp.sum(x * s))), (F16, 1e10)),
    "vjp": (lambda x, s: anvl.vjp(lambda x, s: anp.sum(x * s), x, s)[0], (F16, 1e10)),
    "cond": (anvl.jit(branches), (True, U8, 300)),
    "cond over a literal": (anvl.jit(lambda p, x: branches(p, x, 300)), (True, U8)),
    "switch": (anvl.jit(lambda i, x, n: anvl.switch(i, [lambda x: x, lambda x: x * n], x)),
               (1, U8, 300)),
    "scan": (anvl.jit(lambda x, n: anvl.scan(lambda c, x: (c + 1, x + n), 0, x)), (U8, 300)),
    "carry": (anvl.jit(lambda x, n: anvl.fori_loop(0, 3, lambda i, c: c + x, n)), (U8[0], 300)),
    "checkpoint": (anvl.jit(anvl.checkpoint(lambda x, n: x + n)), (U8, 300)),
    "at": (anvl.jit(lambda x, n: x.at[0].set(n)), (U8, 300)),
    "pad": (anvl.jit(lambda x, n: anp.pad(x, 1, constant_values=n)), (U8, 300)),
    "where": (anvl.jit(lambda x, n: anp.where(x > 1, x, n)), (U8, 300)),
    "compiled": (lambda x, n: ADD.lower(x, 3).compile()(x, n), (U8, 300)),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_number_that_a_program_converts_must_fit(name):
    """In the first call and in later ones, which the generated code makes."""
    f, args = PROGRAMS[name]
    for _ in range(2):
        with pytest.raises(OverflowError, match=r"does not fit (ui8|ui64|f16), "):
            f(*args)
    if not isinstance(args[-1], np.ndarray) and name != "eager":
        f(*args[:-1], 3)


GUARDED = anvl.jit(lambda x, n: anvl.cond(n < 256, lambda: x + n, lambda: x))
CHOICES = anvl.jit(lambda i, x, n: anvl.switch(i, [lambda: x, lambda: x + n, lambda: x - x]))
EITHER = anvl.jit(lambda p, x, n: anvl.cond(p, lambda: GUARDED(x, n - 50), lambda: x + n))


@pytest.mark.parametrize(
    ("f", "args", "expected"),
    [
        (anvl.jit(branches), (False, U8, 300), [1, 2]),
        (GUARDED, (U8, 300), [1, 2]),
        (GUARDED, (U8, 3), [4, 5]),
        (GUARDED, (U8, -1), None),
        (CHOICES, (0, U8, 300), [1, 2]),
        (CHOICES, (1, U8, 300), None),
        (CHOICES, (7, U8, 300), [0, 0]),
        (CHOICES, (-7, U8, 300), [1, 2]),
        (EITHER, (True, U8, 310), [1, 2]),
        (EITHER, (True, U8, 49), None),
        (EITHER, (True, U8, 303), [254, 255]),
        (EITHER, (False, U8, 303), None),
        (anvl.grad(lambda x, n: GUARDED(x, n).sum()), (F16, 70000), [1, 1]),
        (anvl.jit(lambda x, n: anvl.cond(x[0] < 1, lambda: x + n, lambda: x)), (U8, 300), None),
        (anvl.jit(lambda x, n: anvl.fori_loop(0, 0, lambda i, x: x + n, x)), (U8, 300), None),
    ],
)
def test_a_number_must_fit_in_branches_that_are_taken(f, args, expected):
    if expected is None:
        with pytest.raises(OverflowError, match="does not fit ui8, "):
            f(*args)
    else:
        assert f(*args).tolist() == expected


@pytest.mark.parametrize(
    ("later", "error", "message"),
    [
        (lambda n: n + 290, OverflowError, "302 does not fit ui8, "),
        (lambda n: 300, OverflowError, "300 does not fit ui8, "),
        (
            lambda n: anp.sum(n),
            TypeError,
            "is converted to ui8, and its range is not known",
        ),
    ],
)
def test_what_a_closure_is_given_later_must_fit(later, error, message):
    @anvl.jit
    def f(x, n):
        add, consts = anvl.closure_convert(lambda y: y + n, x)
        return add(x, *map(later, consts))

    with pytest.raises(error, match=message):
        f(U8, 12)


def test_logspace_of_a_number_as_integers():
    f = anvl.jit(lambda n: anp.logspace(0, n, 3, base=2, dtype="ui8"))
    assert f(4).tolist() == f(4.0).tolist() == [1, 4, 16]


def test_the_argument_is_named_and_strong_ones_are_free():
    with pytest.raises(OverflowError, match=r"^argument n: 300 does not fit ui8, which holds 0 to"):
        ADD(U8, n=300)
    assert ADD(U8, np.int32(300)).tolist() == [301, 302]
    assert ADD(U8, 4).tolist() == [5, 6]
    assert ADD(F16, float("inf")).tolist() == [float("inf")] * 2


KEY = random.key(0)

#: Programs of an array of ui8 and a number n, and for which of n = 3, 100, 127, 300 they are right.
COMPUTED = {
    "n + 100": (lambda x, n: x + (n + 100), {3, 100, 127}),
    "-n": (lambda x, n: x + -n, set()),
    "n - 100": (lambda x, n: x + (n - 100), {100, 127, 300}),
    "2 * n": (lambda x, n: x + 2 * n, {3, 100, 127}),
    "n // 10": (lambda x, n: x + n // 10, {3, 100, 127, 300}),
    "n % 7": (lambda x, n: x + n % 7, {3, 100, 127, 300}),
    "n ** 2": (lambda x, n: x + n**2, {3}),
    "n >> 1": (lambda x, n: x + (n >> 1), {3, 100, 127, 300}),
    "n & 255": (lambda x, n: x + (n & 255), {3, 100, 127, 300}),
    "n.astype": (lambda x, n: x + n.astype("ui8"), {3, 100, 127, 300}),
    "abs": (lambda x, n: x + abs(150 - n), {3, 100, 127, 300}),
    "minimum": (lambda x, n: x + anp.minimum(n, 200), {3, 100, 127, 300}),
    "clip": (lambda x, n: x + anp.clip(n, 0, 400), {3, 100, 127}),
    "choice by n": (lambda x, n: x + anp.where(n > 200, 0, n), {3, 100, 127, 300}),
    "choice by x": (lambda x, n: x + anp.where(x > 1, n, 0), {3, 100, 127}),
    "function": (lambda x, n: x + anvl.jit(lambda m: m + 100)(n), {3, 100, 127}),
    "in function": (lambda x, n: anvl.jit(lambda m: x + m)(n - 100), {100, 127, 300}),
    "closed over": (lambda x, n: anvl.jit(lambda x: x + (n + 100))(x), {3, 100, 127}),
    "branches": (lambda x, n: x + anvl.cond(x[0] > 1, lambda: n, lambda: 2), {3, 100, 127}),
    "branch": (lambda x, n: anvl.cond(x[0] > 1, lambda: x[0], lambda: n), {3, 100, 127}),
    "case": (lambda x, n: anvl.switch(x[0], [lambda: n, lambda: x[0]]), {3, 100, 127}),
    "batch": (lambda x, n: anvl.vmap(lambda y: y + (n - 100))(x), {100, 127, 300}),
    "checkpoint": (lambda x, n: anvl.checkpoint(lambda n: x + n)(n - 100), {100, 127, 300}),
    "step": (lambda x, n: anvl.scan(lambda c, y: (c, y + 2 * n), 0, x)[1], {3, 100, 127}),
    "loop": (lambda x, n: anvl.fori_loop(0, 3, lambda i, x: x + 2 * n, x), {3, 100, 127}),
    "full": (lambda x, n: anp.full((2,), n / 2, "ui8"), {3, 100, 127, 300}),
    "full_like": (lambda x, n: anp.full_like(x, n), {3, 100, 127}),
    "asarray": (lambda x, n: anp.asarray([n, 1], "ui8"), {3, 100, 127}),
    "linspace": (lambda x, n: anp.linspace(0, n, 2, False, "ui8"), {3, 100, 127, 300}),
    "stack": (lambda x, n: anp.stack([x[0], n]), {3, 100, 127}),
    "randint": (lambda x, n: random.randint(KEY, (), 0, n - 44, "ui8"), {100, 127, 300}),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPUTED)
def test_what_is_computed_of_an_argument_must_fit(name):
    """Not compiled: what the host does with n."""
    f, right = COMPUTED[name]
    traced = anvl.trace(f, U8, 3)._traced
    assert traced.out_avals[0].dtype == np.uint8
    found = ranges.ranges_of(traced.program)
    for n in (3, 100, 127, 300):
        values = [np.int32(n) for _ in found.places]
        if n in right:
            ranges.check_ranges(found, traced.names, values)
            continue
        with pytest.raises(OverflowError, match=r"^argument n: .*does not fit ui8, "):
            ranges.check_ranges(found, traced.names, values)


def test_a_computed_number_is_shown_with_its_line():
    f = anvl.jit(lambda x, n, m: x + (n * m - 1))
    assert f(U8, 2, 100).tolist() == [200, 201]
    with pytest.raises(
        OverflowError,
        match=r"^arguments n, m: of the values computed from them at .*test_ranges.py:\d+:\d+, "
        r"399 does not fit ui8, which holds 0 to 255; give the array a wider dtype, or",
    ):
        f(U8, 2, 200)


def test_a_number_on_the_way_that_wraps_is_refused():
    """(n * 2^30) // 2^30 is 0 in 32 bits for n = 4, which would fit."""
    f = anvl.jit(lambda x, n: x + (n << 30) // 2**30)
    assert f(U8, 1).tolist() == [2, 3]
    with pytest.raises(
        OverflowError, match=r"^argument n: .*, 4294967296 does not fit i32, in which it is comput"
    ):
        f(U8, 4)


def test_integers_of_loops_are_as_any_other():
    """What they become is not known: they are wide where they would be narrowed."""
    programs = {
        "carry": lambda x, n: anvl.scan(lambda c, y: (c + 200, y + c), n, x)[1],
        "result": lambda x, n: x + anvl.fori_loop(0, 1, lambda i, c: c + 200, n - 200),
        "stacked": lambda x, n: anvl.scan(lambda c, y: (c + 200, c), n, x)[1] + x,
        "index": lambda x, n: x + anvl.fori_loop(n, n + 1, lambda i, c: i, n),
        "condition": lambda x, n: anvl.while_loop(lambda c: c < x[0] + 255, lambda c: c + 200, n)
        + x * 0 - 200,
    }  # fmt: skip
    found = anvl.jit(lambda x, n: [f(x, n) for f in programs.values()])(U8, 200)
    assert {y.dtype for y in found} == {np.dtype(np.int32)}
    assert [y.tolist() for y in found[:-1]] == [[201, 402], [201, 202], [201, 402], [201, 202]]


@pytest.mark.parametrize("f", [np.sort, np.cumsum], ids=["sort", "cumsum"])
def test_a_number_that_cannot_be_told_is_refused(f):
    f = getattr(anp, f.__name__)
    with pytest.raises(
        TypeError,
        match=r"computed with at .*test_ranges.* to ui8, .* is not known; convert it with .as",
    ):
        anvl.trace(lambda x, n: x + f(anp.where(x > 1, n, 0)), U8, 3)
    anvl.trace(lambda x, n: F16 + f(anp.where(x > 1, n, 0.5)), U8, 3)  # may become infinite


def test_the_rule_of_a_custom_function_wants_it_too():
    f = anvl.custom_vjp(lambda x, n: x * 1.0)
    f.defvjp(lambda primals, result, g: (g * anp.full((2,), primals[1], "ui8"), None))
    slope = anvl.jit(anvl.grad(lambda x, n: anp.sum(f(x, n))))
    assert slope(F16, 200).tolist() == [200, 200]
    with pytest.raises(OverflowError, match="argument n: 300 does not fit ui8"):
        slope(F16, 300)


# -- every function --------------------------------------------------------------------------------

MODULES = {"numpy": anp, "linalg": anp.linalg, "fft": anp.fft, "random": random}

#: What is cast knowingly; a count of bits, and a part of a step, which fit.
CAST = {"astype.x", "bitwise_count.x", "percentile.q", "quantile.q"}


def functions():
    for module in MODULES.values():
        for name in module.__all__:
            f = getattr(module, name)
            is_ours = getattr(f, "__module__", "").startswith("anvl")  # not NumPy's printing
            if is_ours and callable(f) and not inspect.isclass(f):
                yield name, f, inspect.signature(f).parameters


def given(parameter, x, dtype):
    """What a parameter is given that is not looked at; None where it has a default."""
    known = {
        "key": KEY, "shape": (2,), "minval": 0, "maxval": 9, "condition": x,
        "pad_width": 1, "axis": 0, "indices": np.array([0, 1]), "dtype": dtype, "n": 2,
    }  # fmt: skip
    if parameter.name == "dtype" or parameter.default is parameter.empty:
        return known.get(parameter.name, x)
    return None


def with_number(f, parameters, chosen, dtype):
    """f as a function of an array and of the parameter that is looked at."""

    def g(x, n):
        args, kwargs = [], {}
        for name, p in parameters.items():
            y = n if name == chosen else given(p, x, dtype)
            if p.kind == p.VAR_POSITIONAL:
                args += [x, n] if name == chosen else [x]
            elif y is not None and p.kind != p.VAR_KEYWORD:
                kwargs[name] = y
        return f(*args, **({} if args else kwargs))

    return g


def narrowed(program):
    """Conversions of what follows from the last argument alone, to dtypes that hold less."""
    (main,) = [
        op for op in program.module.body.operations if op.attributes["sym_name"].value == "main"
    ]
    block = main.operation.regions[0].blocks[0]
    alone, constants, found = {block.arguments[1]}, set(), []
    for op in block.operations:
        operands = list(op.operands)
        if not operands:
            constants.update(op.results)
        elif not alone.isdisjoint(operands) and alone.union(constants).issuperset(operands):
            alone.update(op.results)
            if op.operation.name == "anvl.convert":
                before, after = (numpy_of(v.type.element_type) for v in (operands[0], op.result))
                if not np.can_cast(before, after) and after.kind != "b" and before.kind != "b":
                    found.append(f"{dtype_name(before)} to {dtype_name(after)}")
    return [row for row in found if row.endswith(("ui8", "f16"))]


@pytest.mark.sweep(keep=0)
def test_every_function_checks_a_number_that_it_narrows():
    """Each parameter of each function, as a number that is an argument, beside ui8 and f16."""
    unchecked, seen = {}, set()
    for name, f, parameters in functions():
        for chosen in parameters:
            for x, n, dtype in ((U8, 3, "ui8"), (F16, 3.0, "f16")):
                try:
                    traced = anvl.trace(with_number(f, parameters, chosen, dtype), x, n)._traced
                except (TypeError, ValueError, LookupError, anvl.TraceError, AttributeError):
                    continue  # takes no such number there
                found = narrowed(traced.program)
                if ranges.ranges_of(traced.program).meetings:
                    seen.add(f"{name}.{chosen}")
                elif found:
                    unchecked[f"{name}.{chosen}"] = found
    assert unchecked.keys() <= CAST, unchecked
    assert len(seen) > 120
    wanted = "add.y full.fill_value full_like.fill_value asarray.obj linspace.stop where.y clip.max"
    wanted += " uniform.maxval randint.maxval nan_to_num.nan searchsorted.v"
    assert sorted(set(wanted.split()) - seen) == []
