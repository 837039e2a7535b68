"""Pipelines: text to passes and back, running, and everything that can be wrong with them."""

from dataclasses import dataclass, field

import pytest

from anvl.dialect.core.context import context
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.passes.framework import native, pass_base
from anvl.passes.framework.instrument import Instrument
from anvl.passes.framework.pass_base import Pass, find, option, registered_passes
from anvl.passes.framework.pipeline import Pipeline, exists, lookup, parse

TWICE = """
func.func @twice(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.sine %x : tensor<f32>
  %1 = stablehlo.sine %x : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
func.func @idle() { return }
"""


@dataclass(frozen=True)
class Mark(Pass, argument="test-mark"):
    """Set an attribute on the operation.

    More about it.
    """

    name: str = option("mark", help="of the attribute")
    levels: tuple[int, ...] = option((), help="some integers")
    words: tuple[str, ...] = option((), help="some strings")
    scale: float = option(1.0, help="a number")
    count: int = option(0, help="an integer")
    loud: bool = option(False, help="a switch")
    secret: object = None  # no option: only Python sets it

    def run(self, module):
        module.attributes[f"test.{self.name}"] = ir.UnitAttr.get()


@dataclass(frozen=True)
class Fail(Pass, argument="test-fail"):
    """Raise something."""

    kind: str = option(help="of the exception")

    def run(self, module):
        if self.kind == "mlir":
            ir.Module.parse("no.op")
        raise {
            "pass": PassError("test-fail", "asked to", 'loc("f.mlir":1:2)'),
            "key": KeyError("x"),
            "interrupt": KeyboardInterrupt(),
        }[self.kind]


@dataclass(frozen=True)
class Break(Pass, argument="test-break"):
    """Make the module invalid."""

    def run(self, module):
        function = module.regions[0].blocks[0].operations[0]
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([], []))


@pytest.fixture
def module():
    return ir.Module.parse(TWICE, context())


def sines(module):
    return str(module).count("stablehlo.sine")


# Text


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("", "builtin.module()"),
        ("builtin.module()", "builtin.module()"),
        ("cse", "builtin.module(cse)"),
        (" cse , canonicalize ", "builtin.module(cse,canonicalize)"),
        ("builtin.module(func.func(cse, test-mark),cse)", None),
        ("func.func(cse)", "builtin.module(func.func(cse))"),
        ("any(func.func(cse))", "builtin.module(func.func(cse))"),
        ("cse,any(cse)", "builtin.module(cse,any(cse))"),
        ("test-mark{}", "builtin.module(test-mark)"),
        ("test-mark{levels=0,2}", "builtin.module(test-mark{levels=0,2})"),
        ("test-mark{levels={0, 2}}", "builtin.module(test-mark{levels=0,2})"),
        ("test-mark{levels=[0, 2] loud}", "builtin.module(test-mark{levels=0,2 loud=true})"),
        ("test-mark{name=mark scale=1}", "builtin.module(test-mark)"),
        ("test-mark{words='a b',c}", 'builtin.module(test-mark{words="a b",c})'),
        ('test-mark{name="}{,\\""}', 'builtin.module(test-mark{name="}{,\\""})'),
        ("canonicalize{max-iterations=3}", "builtin.module(canonicalize{max-iterations=3})"),
        ('inline{default-pipeline="canonicalize,cse"}', None),
        ("inline{default-pipeline=builtin.module(cse)}", None),
    ],
)
def test_text_prints_and_parses_back(text, printed):
    pipeline = parse(text)
    assert printed is None or str(pipeline) == printed
    assert parse(str(pipeline)) == pipeline
    assert str(parse(str(pipeline))) == str(pipeline)
    assert hash(parse(str(pipeline))) == hash(pipeline)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cze", "cze: no such pass, did you mean 'cse'?; --list-passes shows all"),
        ("test-mrk", "test-mrk: no such pass, did you mean 'test-mark'?"),
        ("func.func(cze)", "cze: no such pass"),
        ("xyzzy", "xyzzy: no such pass; --list-passes shows all"),
        ("cse(", "unbalanced '(' at column 4 of 'cse('"),
        ("func.func(cse", "unbalanced '(' at column 10"),
        ("cse)", "unexpected ')' at column 4 of 'cse)'"),
        ("test-mark{name=x", "unbalanced '{' at column 10"),
        ("test-mark{name='x}", "unbalanced '{' at column 10"),
        ("cse,,cse", "expected the name of a pass at column 5 of 'cse,,cse'"),
        ("cse,", "expected the name of a pass at column 5"),
        ("a b", "unexpected 'b' at column 3"),
        ("func.func(" * 5000, "nested deeper than 100"),
        (
            "test-mark{nam=x}",
            "test-mark: no option 'nam', did you mean 'name'?; options are name, ",
        ),
        ("test-mark{secret=x}", "test-mark: no option 'secret'"),
        ("test-break{a=1}", "test-break: no option 'a'; this pass takes none"),
        ("test-mark{levels=0,x}", "test-mark: option levels takes int,..., got '0,x'"),
        ("test-mark{count=1.5}", "test-mark: option count takes int, got '1.5'"),
        ("test-mark{scale=big}", "test-mark: option scale takes float, got 'big'"),
        ("test-mark{loud=maybe}", "test-mark: option loud takes bool, got 'maybe'"),
        ("test-mark{count}", "test-mark: option count needs a value; write count=<int>"),
        ("test-mark{count=1 count=2}", "test-mark: option count is given twice"),
        ("test-mark{=1}", "test-mark: expected an option name, got '=1'"),
        ("test-fail", "test-fail: option kind is missing; add kind=<str>"),
        ("cse{x=1}", "no such option x"),
        ("chlo-legalize-to-stablehlo", "write func.func(chlo-legalize-to-stablehlo)"),
        ("any(cse),any(test-mark)", "any(test-mark): any(...) holds MLIR's own passes only"),
    ],
)
def test_wrong_text_is_a_value_error(text, message):
    with pytest.raises(ValueError) as error:
        parse(text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


def test_option_names_may_have_dashes():
    @dataclass(frozen=True)
    class Dashed(Pass, argument="test-dashed"):
        """Has an option of two words."""

        two_words: int = option(0, help="")

    assert parse("test-dashed{two-words=1}") == parse("test-dashed{two_words=1}")
    assert str(Dashed(two_words=1)) == "test-dashed{two_words=1}"


def test_anvl_may_be_left_out_where_mlir_has_no_such_pass():
    assert str(parse("gradient{function=f}")) == "builtin.module(anvl-gradient{function=f})"
    assert str(parse("inline")) == "builtin.module(inline)"
    assert lookup("gradient") is lookup("anvl-gradient")


# Passes


def test_a_value_of_the_wrong_type_is_a_type_error():
    with pytest.raises(TypeError, match=r"test-mark: option levels takes int,..., got \[0\]"):
        Mark(levels=[0])


def test_defining_a_pass_registers_it():
    assert find("test-mark") is Mark
    assert registered_passes()["test-mark"] is Mark
    assert Mark.summary() == "Set an attribute on the operation."
    assert [o.type_name for o in Mark.options().values()] == [
        "str", "int,...", "str,...", "float", "int", "bool",
    ]  # fmt: skip


def test_two_passes_of_one_name_are_refused():
    with pytest.raises(ValueError, match="test-mark: two passes have this name"):

        class Other(Pass, argument="test-mark"):
            pass


def test_an_option_of_an_unknown_type_is_refused(monkeypatch):
    # Not left behind: in the same process another test may list all passes.
    monkeypatch.setattr(pass_base, "_registry", dict(pass_base._registry))

    @dataclass(frozen=True)
    class Odd(Pass, argument="test-odd"):
        odd: frozenset[int] = option(frozenset(), help="")

    with pytest.raises(TypeError, match="Odd: option odd has the type"):
        Odd.options()


def test_lookup_names_the_nearest_pass():
    assert exists("cse") and exists("test-mark") and not exists("cze")
    with pytest.raises(ValueError, match="anvl-gradeint: no such pass, did you mean 'anvl-grad"):
        lookup("anvl-gradeint")
    assert {"canonicalize", "cse", "stablehlo-legalize-to-vhlo"} <= set(native.names())


# Running


def test_our_passes_and_those_of_mlir_run_in_order(module):
    Pipeline([Mark("first"), "cse", Mark("second")]).run(module)
    assert sines(module) == 1
    assert {"test.first", "test.second"} <= set(module.operation.attributes)


def test_a_pipeline_without_elements_changes_nothing(module):
    before = str(module)
    Pipeline([]).run(module)
    assert str(module) == before


def test_a_nested_pass_runs_on_each_op_of_that_name(module):
    parse("func.func(test-mark,cse)").run(module)
    assert str(module).count("test.mark") == 2
    assert sines(module) == 1


def test_any_is_left_to_mlir(module):
    parse("cse,any(cse)").run(module)
    assert sines(module) == 1


def test_an_operation_will_do_for_a_module(module):
    Pipeline(["cse"]).run(module.operation)
    assert sines(module) == 1


def test_programmatic_and_textual_pipelines_are_equal():
    assert Pipeline([Mark("a", (1,)), "cse"]) == parse("test-mark{name=a levels=1},cse")
    assert Pipeline(["func.func(cse),cse"]) == parse("func.func(cse),cse")
    assert Pipeline([]) != "builtin.module()"
    with pytest.raises(TypeError, match="Pipeline: an element is a Pass or text, got int 3"):
        Pipeline([3])


def test_after_each_sees_every_stage(module):
    stages = []
    Pipeline([Mark(), "func.func(cse)"]).run(
        module, after_each=lambda name, op: stages.append((name, sines(op)))
    )
    assert stages == [("test-mark", 2), ("func.func(cse)", 1)]


@dataclass(frozen=True)
class Ask(Pass, argument="test-ask"):
    """Take the mark of the first function that has one for another, and note that it did."""

    wanted: str = option("first", help="the mark that is looked for")
    given: str = option("second", help="the one that is set")
    ran: list[str] = field(default_factory=list, compare=False)

    def idle(self, marks):
        return self.wanted not in marks

    def run(self, module):
        for function in module.regions[0].blocks[0].operations:
            if self.wanted in function.operation.attributes:
                function.operation.attributes[self.given] = ir.UnitAttr.get(module.context)
        self.ran.append(self.given)


def test_a_pass_with_nothing_to_do_is_not_run(module):
    ran, seen = [], []
    first = Ask("first", "second", ran)
    after = Ask("second", "third", ran)
    pipeline = Pipeline([first, after])
    pipeline.run(module, after_each=lambda name, _: seen.append(name))
    assert ran == []
    assert seen == ["test-ask", "test-ask"]
    module.body.operations[1].operation.attributes["first"] = ir.UnitAttr.get(module.context)
    pipeline.run(module)
    assert ran == ["second", "third"]  # what one has changed the next is asked about


def test_instruments_see_nested_passes_and_failures(module):
    seen = []

    class Spy(Instrument):
        def before(self, pass_, op):
            seen.append(f"{pass_} {op.name}")

        def failed(self, pass_, op):
            seen.append(f"{pass_} failed")

    with pytest.raises(KeyError):
        parse("func.func(cse),test-fail{kind=key}").run(module, instruments=[Spy()])
    assert seen == [
        "cse func.func",
        "cse func.func",
        "test-fail{kind=key} builtin.module",
        "test-fail{kind=key} failed",
    ]


def test_a_pipeline_runs_again_and_in_other_contexts(module):
    pipeline = parse("canonicalize,cse")
    pipeline.run(module)
    other = ir.Module.parse("func.func @f() { return }", ir.Context())
    pipeline.run(other)
    pipeline.run(module)
    assert sines(module) == 1


def test_a_pass_may_run_the_pipeline_that_it_is_part_of(module):
    depth = []

    @dataclass(frozen=True)
    class Recur(Pass, argument="test-recur"):
        """Run the outer pipeline once more."""

        def run(self, module):
            depth.append(1)
            if len(depth) < 3:
                pipeline.run(module)

    pipeline = Pipeline(["cse", Recur(), "cse"])
    pipeline.run(module)
    assert len(depth) == 3


# Failing


@pytest.mark.parametrize(("kind", "error"), [("key", KeyError), ("interrupt", KeyboardInterrupt)])
def test_what_a_pass_raises_arrives_unchanged(module, kind, error):
    with pytest.raises(error):
        Pipeline(["cse", Fail(kind), Mark()]).run(module)
    assert sines(module) == 1
    assert "test.mark" not in str(module)
    Pipeline([Mark()]).run(module)
    assert "test.mark" in str(module)


def test_a_pass_error_keeps_its_location(module):
    with pytest.raises(PassError) as error:
        Pipeline([Fail("pass")]).run(module)
    assert str(error.value) == "test-fail: asked to"
    assert error.value.location == 'loc("f.mlir":1:2)'


def test_a_failure_of_mlir_names_the_pass_and_the_place():
    module = ir.Module.parse(
        "func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
        "  %0 = chlo.tan %x : tensor<?xf32> -> tensor<?xf32>\n  return %0 : tensor<?xf32>\n}",
        context(),
    )
    with pytest.raises(PassError) as error:
        parse("stablehlo-legalize-to-vhlo").run(module)
    assert error.value.pass_name == "stablehlo-legalize-to-vhlo"
    assert "failed to legalize" in error.value.message
    assert "func.func" not in error.value.message
    assert error.value.location == 'loc("-":3:3)'
    assert error.value.__suppress_context__


def test_a_failure_of_mlir_inside_our_pass_names_the_pass(module):
    with pytest.raises(PassError, match="test-fail: the pass failed: Dialect `no' not found"):
        Pipeline([Fail("mlir")]).run(module)


def test_invalid_ir_is_found_where_it_is_made(module):
    Pipeline([Break()]).run(module)
    with pytest.raises(PassError) as error:
        Pipeline([Mark(), Break(), "cse"]).run(module, verify_each=True)
    assert "left invalid IR" in str(error.value)
    assert len(str(error.value)) < 300
