"""Dispatchers: what goes the fast way, what goes to `slow`, and which errors come through."""

import gc
import weakref

import numpy as np
import pytest

import anvl.runtime as rt
from anvl.runtime import dispatch as dispatch_module

F32 = np.float32


def sums(n_args: int, n_out: int) -> rt.Executable:
    """A program whose i-th result is the sum of all arguments, plus itself i times."""
    kind = "tensor<2xf32>"
    lines, total = [], "%a0"
    for i in range(1, n_args + n_out - 1):
        lines.append(f"%s{i} = stablehlo.add {total}, %a{i % n_args} : {kind}")
        total = f"%s{i}"
    names = ["%a0", *(f"%s{i}" for i in range(1, n_args + n_out - 1))][n_args - 1 :][:n_out]
    arguments = ", ".join(f"%a{i}: {kind}" for i in range(n_args))
    kinds = ", ".join([kind] * n_out)
    body = "\n".join([*lines, f"return {', '.join(names)} : {kinds}"])
    return rt.compile(f"func.func @main({arguments}) -> ({kinds}) {{\n{body}\n}}")


def array(value: float) -> rt.Array:
    return rt.put(np.full(2, value, F32))


def never(*args: object) -> object:
    raise AssertionError(f"slow was called with {args}")


def installed(program: rt.Executable, n_out: int | None, **options) -> rt.Dispatch:
    dispatch = rt.make_dispatch(len(program.arg_types), never)
    dispatch.install(program.arg_types, program.entry(**options))
    return dispatch


@pytest.mark.parametrize("n_args", [1, 2, 32, 300])
def test_any_number_of_arguments(n_args):
    call = installed(sums(n_args, 1), 1).call
    assert call(*map(array, range(n_args))).tolist() == [sum(range(n_args))] * 2


@pytest.mark.parametrize("n_out", [2, 5])
@pytest.mark.parametrize("declared", [None, "n"])
def test_any_number_of_results(n_out, declared):
    results = installed(sums(2, n_out), n_out if declared else None).call(array(1), array(2))
    assert type(results) is tuple
    assert len(results) == n_out
    assert results[0].tolist() == [3, 3]


def test_no_arguments_and_no_results():
    program = rt.compile("func.func @main() { return }")
    assert installed(program, 0).call() == ()


def test_a_result_that_need_not_be_alone_is_returned_as_it_is():
    assert installed(sums(1, 1), None).call(array(3)).tolist() == [3, 3]


@pytest.mark.parametrize("n_out", [1, 2])
def test_rebuild_makes_the_value_that_is_returned(n_out):
    call = installed(sums(2, n_out), n_out, rebuild=lambda xs: {"found": xs}).call
    found = call(array(1), array(2))["found"]
    assert type(found) is list
    assert found[0].tolist() == [3, 3]


def test_weak_results_stay_weak():
    weak = rt.array_type((2,), F32, weak_type=True)
    program = rt.compile(
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }",
        arg_types=[weak],
        out_types=[weak],
    )
    assert installed(program, 1).call(rt.put(array(1), weak_type=True)).weak_type


def test_constants_come_before_the_arguments():
    program = rt.compile(
        "func.func @main(%c: tensor<2xf32>, %x: tensor<2xf32>) -> tensor<2xf32> {"
        "  %y = stablehlo.subtract %c, %x : tensor<2xf32>\n  return %y : tensor<2xf32> }"
    )
    dispatch = rt.make_dispatch(1, never)
    dispatch.install(program.arg_types[1:], program.entry(constants=[array(10)]))
    for x in (1, 2):
        assert dispatch.call(array(x)).tolist() == [10 - x] * 2


# what goes to `slow`


@pytest.mark.parametrize(
    "argument",
    [np.ones(2, F32), 1.0, None, "text", {"a": 1}, rt.put(np.ones(3, F32)), rt.put([1, 2])],
    ids=["numpy", "number", "none", "text", "dict", "shape", "dtype"],
)
def test_what_is_not_known_goes_to_slow(argument):
    dispatch = rt.make_dispatch(2, lambda *args: args)
    dispatch.install(sums(2, 1).arg_types, sums(2, 1).entry())
    known = array(1)
    assert dispatch.call(known, argument) == (known, argument)


def test_slow_may_install_what_it_was_asked_for():
    program, calls = sums(1, 1), []

    def slow(x):
        calls.append(x)
        dispatch.install([x.aval], program.entry())
        return dispatch.call(x)

    dispatch = rt.make_dispatch(1, slow)
    assert [dispatch.call(array(i)).tolist() for i in range(3)] == [[0, 0], [1, 1], [2, 2]]
    assert len(calls) == 1


def test_while_tracing_everything_goes_to_slow():
    dispatch = rt.make_dispatch(1, lambda x: "slow")
    dispatch.install(sums(1, 1).arg_types, sums(1, 1).entry())
    x = array(1)
    rt.begin_tracing()
    rt.begin_tracing()
    try:
        assert dispatch.call(x) == "slow"
        rt.end_tracing()
        assert dispatch.call(x) == "slow"
    finally:
        rt.end_tracing()
    assert dispatch_module.tracing_depth == [0]
    assert dispatch.call(x).tolist() == [1, 1]


def test_cleared_caches_send_everything_to_slow():
    dispatch = rt.make_dispatch(1, lambda x: "slow")
    for clear in (dispatch.clear, rt.clear_caches):
        dispatch.install(sums(1, 1).arg_types, sums(1, 1).entry())
        clear()
        assert dispatch.call(array(1)) == "slow"


def test_long_keys_find_their_programs_until_they_are_forgotten():
    program, asked = sums(40, 1), []
    dispatch = rt.make_dispatch(40, lambda *args: asked.append(len(args)))
    strong = program.arg_types
    weak = [rt.array_type(k.shape, k.dtype, weak_type=True) for k in strong]
    arrays = [array(i) for i in range(40)]
    other = rt.compile(
        "func.func @main("
        + ", ".join(f"%a{i}: tensor<2xf32>" for i in range(40))
        + (") -> tensor<2xf32> { return %a1 : tensor<2xf32> }")
    )
    dispatch.install(strong, program.entry())
    dispatch.install(weak, other.entry())  # the latest, and not that of these arrays
    assert dispatch.call(*arrays).tolist() == [780, 780]
    dispatch.install(strong, other.entry())
    assert dispatch.call(*arrays).tolist() == [1, 1]
    dispatch.forget(tuple(strong))
    assert dispatch.call(*arrays) is None
    dispatch.install(strong, program.entry())
    dispatch.clear()
    assert dispatch.call(*arrays) is None
    assert asked == [40, 40]


def test_a_dispatcher_nobody_holds_is_freed():
    dispatch = rt.make_dispatch(1, never)
    call = weakref.ref(dispatch.call)
    del dispatch
    gc.collect()
    assert call() is None


# errors


@pytest.mark.parametrize("error", [KeyError("x"), AttributeError("x"), TypeError("x")])
def test_errors_of_a_running_program_are_not_taken_for_a_missing_one(error):
    def fail(buffers):
        raise error

    program = sums(1, 1)
    dispatch = installed(program, 1)
    dispatch.install(program.arg_types, program.entry()._replace(run=fail))
    with pytest.raises(type(error)) as caught:
        dispatch.call(array(1))
    assert caught.value is error


@pytest.mark.parametrize("error", [KeyError("x"), AttributeError("x")])
def test_errors_of_slow_come_through_without_a_false_cause(error):
    def slow(x):
        raise error

    with pytest.raises(type(error)) as caught:
        rt.make_dispatch(1, slow).call(3)
    assert caught.value is error
    assert caught.value.__context__ is None


def test_errors_of_rebuild_come_through():
    call = installed(sums(1, 1), 1, rebuild=lambda xs: {}["missing"]).call
    with pytest.raises(KeyError, match="missing"):
        call(array(1))


def test_a_deleted_argument_is_refused_by_name():
    program = sums(2, 1)
    dispatch = rt.make_dispatch(2, never, argument_names=["x", "params['w']"])
    dispatch.install(program.arg_types, program.entry())
    gone = array(1)
    gone.delete()
    with pytest.raises(rt.RuntimeFailure, match=r"argument params\['w'\]: .* deleted or donated"):
        dispatch.call(array(1), gone)


def test_a_deleted_constant_is_said():
    program, constant = sums(2, 1), array(1)
    dispatch = rt.make_dispatch(1, never)
    dispatch.install(program.arg_types[1:], program.entry(constants=[constant]))
    constant.delete()
    with pytest.raises(rt.RuntimeFailure, match=r"constant 0 .* deleted or donated"):
        dispatch.call(array(1))


def test_impossible_numbers_are_refused():
    with pytest.raises(
        ValueError, match="make_dispatch: the number of arguments is not negative, got -1"
    ):
        rt.make_dispatch(-1, never)


# lists


def test_a_list_of_any_length_is_dispatched_by_all_its_types():
    dispatch = rt.make_flat_dispatch(lambda args: "slow")
    for n in (1, 3):
        dispatch.install(sums(n, 1).arg_types, sums(n, 1).entry())
    assert dispatch.call([array(1)]).tolist() == [1, 1]
    assert dispatch.call((array(1), array(2), array(3))).tolist() == [6, 6]
    assert dispatch.call([array(1), array(2)]) == "slow"
    assert dispatch.call([1.0]) == "slow"


def test_programs_of_a_variant_run_in_it_alone():
    calls = []
    dispatch = rt.make_dispatch(1, lambda x: calls.append(x))
    program, x = sums(1, 1), array(1)
    dispatch.install(program.arg_types, program.entry())
    try:
        rt.set_variant("other")
        assert dispatch.call(x) is None
        dispatch.install(
            program.arg_types, program.entry()._replace(only=None, finish=lambda _: "other")
        )
        assert dispatch.call(x) == "other"
    finally:
        rt.set_variant(None)
    assert np.asarray(dispatch.call(x)).tolist() == [1, 1]
    assert dispatch_module.tracing_depth == [0]
    rt.set_variant("other")
    dispatch.forget(program.arg_types)
    assert dispatch.call(x) is None
    rt.set_variant(None)
    assert dispatch.call(x) is None
    assert len(calls) == 3
