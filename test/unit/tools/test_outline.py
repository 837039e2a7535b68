"""Names in texts, also in those that MLIR refuses."""

import pytest

from anvl.tools.lsp.analysis import without_locations
from anvl.tools.lsp.outline import Outline


def links(text):
    """`use -> definition` for each name, as `line:name` and the line of its definition."""
    outline = Outline(text)
    found = []
    for token in outline.tokens:
        name = outline.name_at(token.start)
        if name is None or name.start != token.start:
            continue
        definition = outline.definition(name)
        at = text.count("\n", 0, name.start) + 1
        if definition is None:
            found.append(f"{at}:{name.text} -> none")
        elif definition != name:
            found.append(f"{at}:{name.text} -> {text.count(chr(10), 0, definition.start) + 1}")
    return found


CASES = {
    "the argument of the function around": (
        "func.func @f(%x: f32) {\n return %x : f32 }\nfunc.func @g(%x: f32) {\n return %x : f32 }",
        ["2:%x -> 1", "4:%x -> 3"],
    ),
    "an argument behind attributes": (
        "func.func @f(%x: f32 {a.b}, %y: f32) {\n return %y : f32 }",
        ["2:%y -> 1"],
    ),
    "regions beside each other": (
        '"a.b"() ({\n^bb0(%x: f32):\n "c.d"(%x) \n}, {\n^bb0(%x: f32):\n "c.d"(%x) \n})',
        ["3:%x -> 2", "6:%x -> 5"],
    ),
    "a value of the region around": (
        '%x = "a.b"()\n"a.c"() ({\n "a.d"(%x)\n %y = "a.e"()\n})\n"a.f"(%y)',
        ["3:%x -> 1", "6:%y -> none"],
    ),
    "several results": (
        '%a:2,\n %b = "a.b"()\n"a.c"(%a#1, %b)',
        ["3:%a -> 1", "3:%b -> 2"],
    ),
    "the variable of a loop": (
        "scf.for %i = %n to %n iter_args(%s = %i) {\n %t = arith.addi %i, %s : index }",
        ["1:%n -> none", "1:%n -> none", "1:%i -> 1", "2:%i -> 1", "2:%s -> 1"],
    ),
    "the arguments of a pretty form": (
        "%r = stablehlo.reduce(%r) : t\n reducer(%a: f32, %b: f32) {\n return %a, %b : f32 }",
        ["1:%r -> 1", "3:%a -> 2", "3:%b -> 2"],
    ),
    "blocks and successors": (
        'func.func @f() {\n cf.cond_br %c, ^a(%c : i1), ^b\n^a(%d: i1):\n "x.y"()[^b, ^a]\n^b:\n}',
        ["2:%c -> none", "2:^a -> 3", "2:%c -> none", "2:^b -> 5", "4:^b -> 5", "4:^a -> 3"],
    ),
    "typed operands are no arguments": (
        "%c = a.b\nlinalg.fill ins(%c : f32) outs(%c : t)",
        ["2:%c -> 1", "2:%c -> 1"],
    ),
    "symbols, of modules too": (
        "module @m {\n func.func private @f()\n}\ncall @m::@f()\ncall @g()",
        ["4:@m -> 1", "4:@f -> 2", "5:@g -> none"],
    ),
    "symbols of the generic form": (
        '"func.func"() ({}) {sym_name = "f"} : () -> ()\n"a.b"() {callee = @f}',
        ["2:@f -> 1"],
    ),
    "a quoted symbol": ('func.func @"a b"() {\n call @"a b"() }', ['2:@"a b" -> 1']),
    "nothing in comments and strings": ('%x = "a.%b"() // %y @z ^a', []),
    "a value of a broken text": ('func.func @f(%x: f32 {\n %y = "a.b"(%x', ["2:%x -> 1"]),
}


@pytest.mark.parametrize("name", CASES)
def test_names_lead_to_their_definitions(name):
    text, expected = CASES[name]
    assert links(text) == expected


def test_functions_have_their_bodies():
    text = """\
func.func private @declared(f32 {a.b = 1}) -> (f32 {c.d}) attributes {e}
func.func @plain() { "a.b"() ({ }) {c = "}"} : () -> () }
module { func.func public @head(%x: tensor<3xf32, #a.b<{c}>>) attributes {k = {l = 1}} {
} }
func.func @open(%x: f32) {
"""
    found = {x.name.text: text[slice(*x.body)] if x.body else None for x in Outline(text).functions}
    assert found == {
        "@declared": None,
        "@plain": '{ "a.b"() ({ }) {c = "}"} : () -> () }',
        "@head": "{\n}",
        "@open": "{\n"[:1],
    }


def test_results_know_their_op_in_regions_too():
    outline = Outline('%a = x.y ({\n %b, %c:2 = "z.w"(%a)\n return %b, %c : f32, f32 })')
    made = {
        token.text: op.text
        for token in outline.tokens
        if token.text.startswith("%") and (op := outline.op_defining(token))
    }
    assert made == {"%a": "x.y", "%b": '"z.w"', "%c": '"z.w"'}


def test_the_name_at_an_offset_is_the_one_that_ends_there_too():
    outline = Outline('%x = "a.b"(%y)')
    ends = {0: "%x", 2: "%x", 3: None, 11: "%y", 13: "%y", 14: None}
    found = {at: outline.name_at(at) for at in ends}
    assert {at: x and x.text for at, x in found.items()} == ends


def test_locations_become_blanks_of_their_length():
    text = (
        '#loc1 = loc("a.py":1:2)\n%x = a.b : f32 loc(#loc1)\n%y = a.c {l = loc("b")} loc("c"(#l))\n'
    )
    found = without_locations(text)
    assert len(found) == len(text)
    assert [line.rstrip() for line in found.split("\n")] == [
        "", "%x = a.b : f32", '%y = a.c {l = loc("b")}', "",
    ]  # fmt: skip
    assert without_locations("x loc(") == "x loc("
