"""Patterns of a person's own: the greedy driver, PDL, and what is refused."""

import itertools

import pytest

from anvl.dialect import OPS, PassError, emit, parse
from anvl.passes import Pdl, apply_patterns, constant_of, made_by, pattern

Transpose, Sin = OPS["anvl.transpose"], OPS["anvl.sin"]

SIN = """
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "anvl.sin"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


def rename(old: str, new: str) -> Pdl:
    return Pdl(f"""
      pdl.pattern : benefit(1) {{
        %x = pdl.operand
        %t = pdl.type
        %op = pdl.operation "anvl.{old}"(%x : !pdl.value) -> (%t : !pdl.type)
        pdl.rewrite %op {{
          %new = pdl.operation "anvl.{new}"(%x : !pdl.value) -> (%t : !pdl.type)
          pdl.replace %op with %new
        }}
      }}""")


@pattern(Transpose)
def merge(op):
    inner = made_by(op.operands[0], Transpose)
    if inner is None:
        return None
    first, then = (Transpose.read(one)["permutation"] for one in (inner, op))
    return emit.transpose(inner.operands[0], permutation=tuple(first[i] for i in then))


@pattern("anvl.cos")
def cos_to_sin(op):
    return emit.sin(op.operands[0])


def rewritten(*patterns, text=SIN):
    module = parse(text)
    n = apply_patterns(module.operation, patterns)
    module.operation.verify()
    return n, str(module)


def test_new_ops_are_rewritten_until_no_pattern_matches():
    one = '"anvl.transpose"({}) {{permutation = array<i64: 1, 2, 0>}} : (T) -> T\n'
    values = ["%x", *(f"%{i}" for i in range(7))]
    body = "".join(f"{y} = {one.format(x)}" for x, y in itertools.pairwise(values))
    text = f"func.func @f(%x: T) -> T {{ {body} return %6 : T }}".replace("T", "tensor<2x2x2xf32>")
    n, text = rewritten(merge, text=text)
    assert n == 6
    assert text.count("anvl.transpose") == 1
    assert "array<i64: 1, 2, 0>" in text  # seven times a cycle of three is one


def test_the_larger_benefit_is_tried_first():
    tried = []

    def like(name, benefit):
        @pattern(Sin, benefit=benefit)
        def function(op):
            tried.append(name)

        return function

    rewritten(like("one", 1), like("three", 3), like("two", 2))
    assert tried == ["three", "two", "one"]


def test_constants_are_known_as_numbers():
    @pattern("anvl.mul")
    def by_one(op):
        seen.append([constant_of(x) for x in op.operands])
        return op.operands[0] if constant_of(op.operands[1]) == 1 else None

    seen: list[object] = []
    _, text = rewritten(
        by_one,
        text="""
        func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
          %c = "anvl.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
          %d = "anvl.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
          %0 = "anvl.mul"(%x, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
          %1 = "anvl.mul"(%0, %d) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
          return %1 : tensor<2xf32>
        }""",
    )
    assert text.count("anvl.mul") == 1
    assert [None, 1.0] in seen and [None, None] in seen


def test_a_replacement_has_the_location_of_its_op():
    module = parse(
        SIN.replace("-> tensor<2xf32>\n  return", '-> tensor<2xf32> loc("here")\n  return')
    )

    @pattern(Sin)
    def to_cos(op):
        return emit.cos(op.operands[0])

    apply_patterns(module.operation, [to_cos])
    (cos,) = [op for op in module.body.operations[0].entry_block.operations][:1]
    assert cos.operation.name == "anvl.cos"
    assert "here" in str(cos.location)


def test_an_op_may_be_changed_in_place():
    @pattern(Transpose)
    def sort(op):
        if op.attributes["permutation"] == Transpose.encode({"permutation": (0, 1)})["permutation"]:
            return None
        op.attributes["permutation"] = Transpose.encode({"permutation": (0, 1)})["permutation"]
        return op

    n, text = rewritten(
        sort,
        text="""
        func.func @f(%x: T) -> T {
          %0 = "anvl.transpose"(%x) {permutation = array<i64: 1, 0>} : (T) -> T
          return %0 : T
        }""".replace("T", "tensor<2x2xf32>"),
    )
    assert n == 1
    assert "array<i64: 0, 1>" in text


def test_an_op_with_several_results_is_replaced_by_a_list():
    @pattern("stablehlo.optimization_barrier")
    def none(op):
        return list(reversed(op.operands))

    _, text = rewritten(
        none,
        text="""
        func.func @f(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
          %0:2 = stablehlo.optimization_barrier %x, %y : tensor<f32>, tensor<f32>
          return %0#0, %0#1 : tensor<f32>, tensor<f32>
        }""",
    )
    assert "return %arg1, %arg0" in text


def test_only_patterns_are_taken():
    with pytest.raises(TypeError, match=r"len.* is no pattern"):
        rewritten(len)


def test_pdl_and_python_take_turns_until_neither_matches():
    # tan becomes cos in PDL, cos sin in Python, sin exp in PDL.
    n, text = rewritten(
        rename("tan", "cos"), cos_to_sin, rename("sin", "exp"), text=SIN.replace("sin", "tan")
    )
    assert n == 1
    assert "anvl.exp" in text


@pattern(Sin)
def sin_to_cos(op):
    return emit.cos(op.operands[0])


@pytest.mark.parametrize(
    "patterns",
    [
        [sin_to_cos, cos_to_sin],
        [rename("sin", "cos"), cos_to_sin],
        [rename("sin", "cos"), rename("cos", "sin")],
    ],
)
def test_patterns_that_undo_each_other_end_in_an_error(patterns):
    with pytest.raises(PassError, match="the patterns do not end"):
        rewritten(*patterns)


def test_the_error_names_the_pattern_that_rewrites_most():
    with pytest.raises(PassError, match="sin_to_cos has rewritten 251 times, cos_to_sin 250;") as e:
        rewritten(sin_to_cos, cos_to_sin)
    assert e.value.location


@pytest.mark.parametrize(
    ("gives", "shown"),
    [
        (lambda op: emit.sum(op.operands[0], axes=(0,)), "gives tensor<f32> in place of anvl.sin"),
        (lambda op: "x", "gives 'x' in place of anvl.sin, whose results are tensor<2xf32>"),
        (lambda op: [], "gives nothing in place of"),
        (lambda op: [op.operands[0]] * 2, "gives tensor<2xf32>, tensor<2xf32> in place of"),
    ],
)
def test_what_cannot_replace_the_op_is_refused_and_the_module_stays_valid(gives, shown):
    module = parse(SIN)
    with pytest.raises(PassError, match=shown):
        apply_patterns(module.operation, [pattern(Sin)(gives)])
    module.operation.verify()


def test_an_error_of_a_pattern_arrives_unchanged():
    @pattern(Sin)
    def wrong(op):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        rewritten(wrong)


def test_wrong_pdl_has_its_line_and_column():
    with pytest.raises(ValueError, match=r"Pdl: line:column 2:3: .*pdl.pat"):
        rewritten(Pdl("\n  pdl.pat"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pattern(), "names no op"),
        (lambda: pattern("sin"), "with its dialect"),
        (lambda: pattern(int), "is no op"),
        (lambda: pattern(Sin, benefit=-1), "benefit is -1"),
        (lambda: pattern(Sin, benefit=True), "benefit is True"),
        (lambda: pattern(Sin)(lambda op, rewriter: None), "must take one argument, the op"),
    ],
)
def test_a_wrong_definition_is_refused(make, message):
    with pytest.raises(TypeError, match=message):
        make()
