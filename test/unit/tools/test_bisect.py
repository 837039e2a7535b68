"""The op that makes the difference between two versions of a function."""

import pytest

from anvl.dialect.core.context import context
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pipeline import Pipeline
from anvl.tools.opt.validation import bisector
from anvl.tools.opt.validation.bisector import Bisector
from anvl.tools.opt.validation.differing_ops import blame
from anvl.tools.opt.validation.validation_options import ValidationOptions
from anvl.tools.run.random_runs import NotExecutable

T = "tensor<3xf32>"


def module(*lines, returned="%y", types=T, more=""):
    """A module with a function @f of x and z, whose lines leave out the types of ops of anvl."""
    return ir.Module.parse(
        f"func.func @f(%x: {T}, %z: {T}) -> ({types}) {{\n"
        + "\n".join(map(_typed, lines))
        + f"\nreturn {returned} : {types}\n}}\n{more}",
        context(),
    )


def _typed(line):
    if '"anvl.' not in line or " : " in line:
        return line
    operands = ", ".join([T] * line.split("(")[1].split(")")[0].count("%"))
    return f"{line} : ({operands}) -> {T}"


def blamed(before, after, result=0, **options):
    return blame(before, after, "f", result, ValidationOptions(**options))


BEFORE = (
    '%a = "anvl.sin"(%x)',
    '%b = "anvl.mul"(%a, %z)',
    '%c = "anvl.sub"(%b, %x)',
    '%d = "anvl.exp"(%c)',
    '%y = "anvl.tanh"(%d)',
)


@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize(
    ("at", "line", "first", "was"),
    [
        (0, '%a = "anvl.cos"(%x)', "%0 = anvl.cos(%arg0)", "%0 = anvl.sin(%arg0)"),
        (0, '%a = "anvl.sin"(%z)', "%0 = anvl.sin(%arg1)", "%0 = anvl.sin(%arg0)"),
        (2, '%c = "anvl.sub"(%x, %b)', "%2 = anvl.sub(%arg0, %1)", "%2 = anvl.sub(%1, %arg0)"),
        (2, '%c = "anvl.sub"(%b, %z)', "%2 = anvl.sub(%1, %arg1)", "%2 = anvl.sub(%1, %arg0)"),
        (2, '%c = "anvl.add"(%b, %x)', "%2 = anvl.add(%1, %arg0)", "%2 = anvl.sub(%1, %arg0)"),
        (4, '%y = "anvl.sin"(%d)', "%4 = anvl.sin(%3)", "%4 = anvl.tanh(%3)"),
    ],
)
def test_an_op_under_others_that_are_as_they_were(at, line, first, was):
    after = [*BEFORE[:at], line, *BEFORE[at + 1 :]]
    found = blamed(module(*BEFORE), module(*after))
    assert _short(found.first) == first
    assert [_short(x) for x in found.lost] == [was]
    assert found.others == ()


def _short(text):
    return text.partition(" : ")[0].replace('"', "")


def test_a_value_in_place_of_another():
    found = blamed(module(*BEFORE), module(*BEFORE[:-1], returned="%d"))
    assert found.first is None
    assert _short(found.now) == "%3 = anvl.exp(%2)"
    assert [_short(x) for x in found.lost] == ["%4 = anvl.tanh(%3)"]
    swapped = blamed(
        module(*BEFORE, returned="%y, %a", types=f"{T}, {T}"),
        module(*BEFORE, returned="%a, %y", types=f"{T}, {T}"),
        result=1,
    )
    assert (swapped.first, swapped.lost) == (None, ())
    assert _short(swapped.now) == "%4 = anvl.tanh(%3)"
    assert _short(swapped.was) == "%0 = anvl.sin(%arg0)"
    argument = blamed(module(*BEFORE), module(*BEFORE, returned="%z"))
    assert argument.now == "argument 1"


def test_right_ops_are_no_obstacle():
    after = (
        '%one = "anvl.constant"() {value = dense<1.0> : tensor<3xf32>} : () -> tensor<3xf32>',
        '%a = "anvl.sin"(%x)',
        '%zz = "anvl.mul"(%z, %one)',
        '%b = "anvl.mul"(%zz, %a)',
        '%n = "anvl.neg"(%x)',
        '%c = "anvl.sub"(%b, %n)',
        '%d = "anvl.exp"(%c)',
        '%y = "anvl.tanh"(%d)',
    )
    found = blamed(module(*BEFORE), module(*after))
    assert _short(found.first) == "%4 = anvl.neg(%arg0)"
    assert [_short(x) for x in found.others] == ["%5 = anvl.sub(%3, %4)"]
    assert [_short(x) for x in found.lost] == ["%2 = anvl.sub(%1, %arg0)"]


def test_operands_that_are_swapped_below_an_op_that_undoes_it():
    """Each value of one version is one of the other: only its place tells."""
    for x in ("%x", "%s"):
        before = '%s = "anvl.sin"(%x)', f'%b = "anvl.sub"({x}, %z)', '%y = "anvl.neg"(%b)'
        after = '%s = "anvl.sin"(%x)', f'%b = "anvl.sub"(%z, {x})', '%y = "anvl.neg"(%b)'
        found = blamed(module(*before), module(*after))
        operand = "%arg0" if x == "%x" else "%0"
        assert _short(found.first) == f"%1 = anvl.sub(%arg1, {operand})"
        assert [_short(x) for x in found.lost] == [f"%1 = anvl.sub({operand}, %arg1)"]


def test_an_op_with_other_attributes_and_another_operand():
    def text(name, start):
        bounds = f"array<i64: {start}>, limit_indices = array<i64: {start + 2}>"
        sliced = "tensor<2xf32>"
        return module(
            f'%a = "anvl.{name}"(%x)',
            f'%y = "anvl.slice"(%a) {{start_indices = {bounds}, strides = array<i64: 1>}} '
            f": ({T}) -> {sliced}",
            types=sliced,
        )

    found = blamed(text("sin", 0), text("cos", 1))
    assert _short(found.first) == "%0 = anvl.cos(%arg0)"
    assert len(found.others) == 1 and "anvl.slice" in found.others[0]


def test_a_constant_is_listed_behind_the_op_that_reads_it():
    def text(value):
        return module(
            f'%k = "anvl.constant"() {{value = dense<{value}> : {T}}} : () -> {T}',
            '%y = "anvl.mul"(%x, %k)',
        )

    found = blamed(text(2.0), text(3.0))
    assert _short(found.first) == "%1 = anvl.mul(%arg0, %0)" or "constant" in found.first
    assert "3.0" in "".join((found.first, *found.others))
    assert "2.0" in "".join(found.lost)


CALLEE = f"""
func.func private @g(%x: {T}) -> {T} {{
  %0 = "anvl.NAME"(%x) : ({T}) -> {T}
  return %0 : {T}
}}"""


def test_an_op_of_a_function_that_is_called():
    call = f"%y = func.call @g(%x) : ({T}) -> {T}"
    found = blamed(
        module(call, more=CALLEE.replace("NAME", "sin")),
        module(call, more=CALLEE.replace("NAME", "cos")),
    )
    assert _short(found.first) == "%0 = anvl.cos(%arg0)"


def test_an_op_under_one_with_a_region():
    def text(name):
        return module(
            f'%a = "anvl.{name}"(%x, %z)',
            '%b = "anvl.add"(%a, %z)',  # with the subtraction this is x, which there is
            "%i = stablehlo.constant dense<0.0> : tensor<f32>",
            "%y = stablehlo.reduce(%b init: %i) applies stablehlo.add across dimensions = [0] "
            f": ({T}, tensor<f32>) -> tensor<f32>",
            types="tensor<f32>",
        )

    found = blamed(text("mul"), text("sub"))
    assert _short(found.first) == "%0 = anvl.sub(%arg0, %arg1)"


INT = "tensor<i32>"


def loop(*body, before=(), returned="%w"):
    """@f with a loop of three steps: of `%v`, which is x at first, and reads z."""
    return module(
        *before,
        f'%k = "anvl.constant"() {{value = dense<3> : {INT}}} : () -> {INT}',
        f'%o = "anvl.constant"() {{value = dense<1> : {INT}}} : () -> {INT}',
        f"%n, %y = stablehlo.while(%i = %o, %v = %x) : {INT}, {T}",
        f"cond {{ %t = stablehlo.compare LT, %i, %k : ({INT}, {INT}) -> tensor<i1>",
        "stablehlo.return %t : tensor<i1> } do {",
        *body,
        f"%j = stablehlo.add %i, %o : {INT}",
        f"stablehlo.return %j, {returned} : {INT}, {T} }}",
    )


def test_an_op_in_a_loop():
    before = '%s = "anvl.sin"(%v)', '%w = "anvl.sub"(%s, %z)'
    after = '%s = "anvl.sin"(%v)', '%w = "anvl.sub"(%z, %s)'
    found = blamed(loop(*before), loop(*after))
    assert [x.partition("(")[0] for x in found.around] == ["%2:2 = stablehlo.while"]
    assert "\n" not in found.around[0]
    assert _short(found.first) == "%4 = anvl.sub(%arg1, %3)"
    assert [_short(x) for x in found.lost] == ["%4 = anvl.sub(%3, %arg1)"]


def test_an_op_in_a_branch_in_a_loop():
    def text(name):
        chosen = _typed(f'%s = "anvl.{name}"(%v)')
        return loop(
            f"%t = stablehlo.compare LT, %v, %z : ({T}, {T}) -> tensor<3xi1>",
            "%p = stablehlo.slice %t [0:1] : (tensor<3xi1>) -> tensor<1xi1>",
            "%q = stablehlo.reshape %p : (tensor<1xi1>) -> tensor<i1>",
            f'%w = "stablehlo.if"(%q) ({{ {chosen}\nstablehlo.return %s : {T} }}, '
            f"{{ stablehlo.return %v : {T} }}) : (tensor<i1>) -> {T}",
        )

    found = blamed(text("sin"), text("cos"))
    assert ["while" in found.around[0], "stablehlo.if" in found.around[1]] == [True, True]
    # With its number in the module, not in the region alone.
    assert _short(found.first) == "%8 = anvl.cos(%iterArg_0)"


def test_a_branch_that_only_returns_is_as_before():
    def text(name):
        chosen = _typed(f'%s = "anvl.{name}"(%z)')
        return module(
            f"%t = stablehlo.compare LT, %x, %z : ({T}, {T}) -> tensor<3xi1>",
            "%p = stablehlo.slice %t [0:1] : (tensor<3xi1>) -> tensor<1xi1>",
            "%q = stablehlo.reshape %p : (tensor<1xi1>) -> tensor<i1>",
            f'%y = "stablehlo.if"(%q) ({{ stablehlo.return %x : {T} }}, '
            f"{{ {chosen}\nstablehlo.return %s : {T} }}) : (tensor<i1>) -> {T}",
        )

    found = blamed(text("sin"), text("cos"))
    assert _short(found.first) == "%4 = anvl.cos(%arg1)"


def test_what_a_loop_reads_from_outside_has_its_value():
    two = f'%c = "anvl.constant"() {{value = dense<2.0> : {T}}} : () -> {T}'
    before = '%d = "anvl.mul"(%v, %c)', '%w = "anvl.sin"(%d)'
    after = '%d = "anvl.add"(%v, %v)', '%w = "anvl.cos"(%d)'
    found = blamed(loop(*before, before=[two]), loop(*after, before=[two]))
    assert (_short(found.first), found.others) == ("%5 = anvl.cos(%4)", ())


def test_an_op_in_front_of_a_loop_that_reads_it():
    body = ('%w = "anvl.mul"(%v, %s)',)
    found = blamed(
        loop(*body, before=['%s = "anvl.sin"(%z)']), loop(*body, before=['%s = "anvl.cos"(%z)'])
    )
    assert (_short(found.first), found.others) == ("%0 = anvl.cos(%arg1)", ())


def test_a_loop_that_differs_after_its_first_step_is_named_as_a_whole():
    def text(scale):
        return loop(
            f"%f = stablehlo.convert %i : ({INT}) -> tensor<f32>",
            f"%c = stablehlo.constant dense<{scale}> : tensor<f32>",
            "%o1 = stablehlo.constant dense<1.0> : tensor<f32>",
            "%g = stablehlo.subtract %f, %o1 : tensor<f32>",  # zero in the first step
            "%h = stablehlo.multiply %g, %c : tensor<f32>",
            f"%b = stablehlo.broadcast_in_dim %h, dims = [] : (tensor<f32>) -> {T}",
            '%w = "anvl.add"(%v, %b)',
        )

    found = blamed(text("2.0"), text("3.0"))
    assert found.first.startswith("%2:2 = stablehlo.while") and found.around == ()
    assert "stablehlo.while" in found.lost[0]


def test_both_executors_find_the_same():
    after = [*BEFORE[:2], '%c = "anvl.sub"(%x, %b)', *BEFORE[3:]]
    found = [
        blamed(module(*BEFORE), module(*after), executor=name) for name in ("plugin", "interpreter")
    ]
    assert found[0] == found[1]


def test_a_tolerance_hides_what_is_below_it():
    after = (
        BEFORE[0],
        f'%k = "anvl.constant"() {{value = dense<1.001> : {T}}} : () -> {T}',
        '%a1 = "anvl.mul"(%a, %k)',
        '%b = "anvl.mul"(%a1, %z)',
        *BEFORE[2:4],
        '%y = "anvl.neg"(%d)',
    )
    assert _short(blamed(module(*BEFORE), module(*after)).first) == "%2 = anvl.mul(%0, %1)"
    loose = blamed(module(*BEFORE), module(*after), rtol=0.05)
    assert (_short(loose.first), loose.others) == ("%6 = anvl.neg(%5)", ())


def test_values_that_cannot_be_had_leave_the_pass(monkeypatch):
    def refused(*_):
        raise NotExecutable("no such thing")

    monkeypatch.setattr(bisector, "blame", refused)
    first, second = module(*BEFORE), module(*BEFORE[:-1], returned="%d")
    found = Bisector("anvl-bisect", ValidationOptions(), "a hint")
    found.begin(first.operation, Pipeline([]))
    with pytest.raises(PassError) as said:
        found.after(Pipeline(["cse"]).elements[0], second.operation)
    assert said.value.__notes__[1:] == [
        "which op does it is unknown, as its values cannot be had: no such thing",
        "a hint",
    ]
