"""`anvl-lsp` as an editor uses it: one server process, which all tests share."""

import asyncio
import sys
import threading
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lsp_client import Client
from lsp_editor import Editor

from anvl.tools.lsp.document import Document
from anvl.tools.lsp.server import Server

COMMAND = [sys.executable, "-m", "anvl.tools.lsp.lsp_tool"]
CAPABILITIES = {"window": {"showDocument": {"support": True}}}
OPS = '''
import os, signal
from anvl.dialect import AnvlOp, Operand, Result

print("not an answer")
os.write(1, b"nor this")

class Half(AnvlOp, name="own.half"):
    """Half of `x`."""
    x: Operand
    y: Result

    @classmethod
    def result_type(cls, x):
        print("not an answer")
        return x

class Crash(AnvlOp, name="own.crash"):
    """Ends the process."""
    x: Operand
    y: Result

    @classmethod
    def result_type(cls, x):
        os.kill(os.getpid(), signal.SIGSEGV)
'''
WAVE = """\
func.func @wave(%x: tensor<3xf32>) -> tensor<f32> {
  %a = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %b = "anvl.sum"(%a) {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  return %b : tensor<f32>
}

func.func @twice(%x: tensor<3xf32>) -> tensor<f32> {
  %a = call @wave(%x) : (tensor<3xf32>) -> tensor<f32>
  %b = "anvl.add"(%a, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    ops = tmp_path_factory.mktemp("ops") / "lsp_ops.py"
    ops.write_text(OPS)
    made = Client([*COMMAND, f"--load={ops}"], CAPABILITIES)
    yield made
    assert made.close() == 0, made.errors
    assert "Traceback" not in "".join(made.errors)


def messages(client):
    """What the server has shown to the person so far."""
    return [x["params"] for x in client.heard if x.get("method") == "window/showMessage"]


# Diagnostics


@pytest.mark.sweep(keep=0)
def test_a_faulty_program_is_diagnosed_and_a_fixed_one_is_not(client):
    editor = Editor(client, WAVE.replace("array<i64: 0>", "array<i64: 1>"))
    message = "sum: axes [1]: 1 is not an axis of tensor<3xf32>, which has only axis 0"
    assert editor.diagnostics() == [(1, '3: "anvl.sum"', message)]
    assert editor.replace("array<i64: 1>", "array<i64: 0>").diagnostics() == []
    assert editor.replace("return %b", "return %c").diagnostics() == [
        (1, "4: %c", "use of undeclared SSA value name"),
        (1, "10: %c", "use of undeclared SSA value name"),
    ]
    assert editor.type(WAVE.replace("%a, %a", "%a, %")).diagnostics() == [
        (1, "9: %", "invalid SSA name")
    ]


def test_each_function_has_its_error_and_its_callers_have_none(client):
    editor = Editor(
        client, WAVE.replace('"anvl.sin"', '"anvl.sinn"').replace("@wave(%x)", "@w(%x)")
    )
    found = editor.diagnostics()
    assert [place for _, place, _ in found] == ['2: "anvl.sinn"', "8: call"]
    assert found[1][2] == "'func.call' op 'w' does not reference a valid function"


def test_what_is_typed_is_all_that_is_sent(client):
    assert client.capabilities["textDocumentSync"]["change"] == 2  # incremental
    editor = Editor(client, "// \U0001d53d \u00e9\n" + WAVE)
    at = editor.text.index("sin")
    editor.edit(at, at + 3, "cos")
    assert editor.diagnostics() == []
    end = editor.text.index("return")
    editor.edit(
        end, end, '// \U0001d53d\n  %c = "anvl.sin"(%b) : (tensor<f32>) -> tensor<1xf32>\n  '
    )
    [(severity, place, message)] = editor.diagnostics()
    assert (severity, place) == (1, '6: "anvl.sin"'), editor.text
    assert message.startswith("sin: result is tensor<1xf32> but the operands give tensor<f32>")
    start = editor.text.index("// \U0001d53d\n")
    editor.edit(start, editor.text.index("return"), "")
    assert editor.diagnostics() == []


def test_checks_of_texts_that_are_gone_are_not_waited_for(monkeypatch):
    """While one text is checked others are typed: only the last of them is checked next."""
    server = Server(seconds=10)
    may_answer = threading.Event()
    asked, published = [], []

    def ask(question):
        asked.append(question["text"])
        assert may_answer.wait(60)
        return {"diagnostics": [], "places": {}, "types": []}

    async def type_texts():
        for version in range(6):
            document = Document("file:///f.mlir", f"text {version}", version, "utf-16")
            monkeypatch.setattr(server, "_document", lambda _, x=document: x)
            server._check("file:///f.mlir", 0.0)
            while not asked:
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.01)  # it waits for its turn
        may_answer.set()
        await server._checks["file:///f.mlir"]

    monkeypatch.setattr(server._checker, "ask", ask)
    monkeypatch.setattr(server, "_publish", lambda *args: published.append(args[1]))
    asyncio.run(type_texts())
    server._folder.cleanup()
    assert asked == ["text 0", "text 5"]
    assert published == [5]


def test_each_program_of_a_file_is_diagnosed_at_its_lines(client):
    broken = WAVE.replace("tensor<f32> {", "tensor<f32> {\n  // 😀é", 1).replace("%x)", "%y)", 1)
    editor = Editor(client, f"{WAVE}// -----\n{broken}// -----\n{WAVE}")
    assert editor.diagnostics() == [(1, "15: %y", "use of undeclared SSA value name")]


def test_columns_count_units_of_the_editor_and_not_bytes(client):
    text = WAVE.replace("{axes =", '{note = "😀é", axes =').replace(
        "-> tensor<f32>\n  return", "-> tensor<g32>\n  return", 1
    )
    ((_, place, _),) = Editor(client, text).diagnostics()
    assert place == "3: g32"


def test_notes_are_related_places(client):
    editor = Editor(client, WAVE.replace("return %b", "return %x", 1))
    (found,) = client.diagnostics(editor.uri, 1)
    (related,) = found["relatedInformation"]
    assert (editor.at(related["location"]["range"]), related["message"]) == (
        "1: %x", "prior use here",
    )  # fmt: skip


def test_an_op_with_a_location_of_python_is_diagnosed_in_its_own_line(client):
    text = WAVE.replace("i64: 0", "i64: 1")
    text = text.replace("tensor<f32>\n  return", 'tensor<f32> loc("m.py":1:2)\n  return')
    ((_, place, message),) = Editor(client, text).diagnostics()
    assert place == '3: "anvl.sum"'
    assert message.startswith("sum: axes [1]: 1 is not an axis")


def test_a_malformed_location_is_an_error(client):
    text = WAVE.replace("-> tensor<f32>\n  return", "-> tensor<f32> loc(1)\n  return", 1)
    ((_, place, _),) = Editor(client, text).diagnostics()
    assert place == "3: 1"


def test_a_closed_document_has_no_diagnostics(client):
    editor = Editor(client, "%")
    assert editor.diagnostics()
    client.notify("textDocument/didClose", textDocument=editor.id)
    client.request("textDocument/documentSymbol", textDocument=Editor(client, WAVE).id)
    said = [x["params"] for x in client.heard if x["method"].endswith("publishDiagnostics")]
    assert [x["diagnostics"] for x in said if x["uri"] == editor.uri][-1] == []


# Names


def test_a_hover_on_an_op_shows_its_documentation_and_its_rules(client):
    text = Editor(client, WAVE).hover('"anvl.s|um"')
    for part in (
        "anvl.sum(x) {axes} -> y",
        "Sum along `axes`",
        "**Attributes**",
        "- `axes`: A tuple",
    ):
        assert part in text
    for rule in ("lowering", "adjoint", "tangent", "batch"):
        assert f"- **{rule}**: " in text


def test_a_hover_on_an_op_without_a_class_names_its_dialect(client):
    editor = Editor(client, WAVE.replace("anvl.add", "anvl.ad"))
    assert "op of the dialect `func`" in editor.hover("re|turn")
    assert "no such op, did you mean" in editor.hover("anvl.a|d")


def test_a_hover_on_an_op_of_ones_own_shows_it(client):
    editor = Editor(client, WAVE.replace("anvl.sin", "own.half"))
    assert editor.diagnostics() == []
    assert "own.half(x) -> y" in editor.hover("own.h|alf")


def test_a_hover_on_a_value_shows_its_type_and_its_definition(client):
    editor = Editor(client, WAVE)
    text = editor.hover("(%a|)")
    assert text.startswith('```mlir\n%a: tensor<3xf32>\n%a = "anvl.sin"(%x)')
    assert text.endswith("a result of `anvl.sin`, defined in line 2")
    assert "%x: tensor<3xf32>\n```\n\nan argument, defined in line 7" in editor.hover(
        "@wave(%|x) :"
    )
    assert "func.func @wave(%x: tensor<3xf32>) -> tensor<f32>\n" in editor.hover("call @wa|ve")


def test_a_hover_on_one_of_several_results_shows_its_type(client):
    editor = Editor(client, """\
func.func @f(%x: tensor<f32>, %n: tensor<i32>) -> tensor<i32> {
  %r:2, %s = "stablehlo.while"(%x, %n, %x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>):
    %t = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>):
    stablehlo.return %a, %b, %c : tensor<f32>, tensor<i32>, tensor<f32>
  }) : (tensor<f32>, tensor<i32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, tensor<f32>)
  return %r#1 : tensor<i32>
}
""")  # fmt: skip
    assert "%r#1: tensor<i32>\n" in editor.hover("return %r|#1")
    assert "%r: tensor<f32>, tensor<i32>\n" in editor.hover("%r|:2")
    assert "%s: tensor<f32>\n" in editor.hover("%s| =")
    assert "%b: tensor<i32>\n```\n\nan argument, defined in line 7" in editor.hover("%a, %b|, %c :")


def test_a_hover_on_the_result_of_an_op_that_begins_behind_its_name_shows_its_type(client):
    reduce = "stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : "
    zero = "%z = stablehlo.constant dense<0.0> : tensor<f32>\n  "
    generic = '"anvl.sum"(%a) {axes = array<i64: 0>} : (tensor<3xf32>)'
    text = WAVE.replace(generic, f"{reduce}(tensor<3xf32>, tensor<f32>)")
    editor = Editor(client, text.replace("%b =", f"{zero}%b =", 1))
    assert editor.diagnostics() == []
    assert "%b: tensor<f32>\n" in editor.hover("return %|b")


def test_a_hover_in_a_broken_text_shows_the_definition(client):
    text = Editor(client, WAVE.replace("anvl.sin", "anvl.sinn")).hover("(%a|)")
    assert '%a = "anvl.sinn"(%x)' in text


def test_definition_and_references(client):
    editor = Editor(client, WAVE)
    places = {
        "@wave(%|x)": "7: %x",
        '"anvl.sin"(%x|)': "1: %x",
        "call @w|ave": "1: @wave",
        "return %|b": "3: %b",
    }
    for mark, place in places.items():
        assert editor.at(editor.ask("definition", mark)["range"]) == place
    assert editor.ask("definition", "te|nsor") is None

    def references(mark, declaration):
        context = {"includeDeclaration": declaration}
        found = editor.ask("references", mark, context=context)
        return [editor.at(x["range"]) for x in found]

    assert references("@wa|ve(%x: ", True) == ["1: @wave", "8: @wave"]
    assert references("(%|a, %a)", False) == ["9: %a", "9: %a"]
    assert references("te|nsor", True) == []


def test_names_belong_to_their_program(client):
    program = "func.func @other(%z: f32) -> f32 {\n  return %z : f32\n}\n"
    editor = Editor(client, f"{WAVE}// -----\n{program}")
    assert editor.at(editor.ask("definition", "return %|z")["range"]) == "13: %z"
    assert "%z: f32\n" in editor.hover("return %|z")
    assert next(iter(editor.actions(14))) == "Show the gradient of @other"


def test_blocks_and_their_arguments_have_definitions(client):
    editor = Editor(client, """\
func.func @f(%x: f32) -> f32 {
  cf.br ^end(%x : f32)
^end(%y: f32):
  return %y : f32
}
""")  # fmt: skip
    assert editor.diagnostics() == []
    assert editor.at(editor.ask("definition", "br ^e|nd")["range"]) == "3: ^end"
    assert editor.at(editor.ask("definition", "return %|y")["range"]) == "3: %y"
    assert editor.at(editor.ask("definition", "(%x| : f32")["range"]) == "1: %x"
    assert "^end(%y: f32):" in editor.hover("^e|nd(%x")
    assert "%y: f32" in editor.hover("return %|y")


def test_the_functions_are_the_symbols_of_a_document(client):
    editor = Editor(client, f"{WAVE}// -----\nfunc.func private @d(f32)\n")
    found = client.request("textDocument/documentSymbol", textDocument=editor.id)
    assert [x["name"] for x in found] == ["@wave", "@twice", "@d"]
    assert editor.at(found[1]["selectionRange"]) == "7: @twice"
    assert found[0]["range"]["end"] == {"line": 4, "character": 1}


# Completion


def inserted(editor, mark, label):
    """The line after a completion is accepted."""
    found = {x["label"]: x for x in editor.complete(mark)}
    edit = found[label]["textEdit"]
    start, end = edit["range"]["start"], edit["range"]["end"]
    line = editor.text.split("\n")[start["line"]]
    return (line[: start["character"]] + edit["newText"] + line[end["character"] :]).strip()


def test_names_of_ops_are_completed(client):
    editor = Editor(
        client, WAVE.replace('"anvl.sin"(%x)', '"anvl.si').replace('"anvl.add"(', "anvl.a(")
    )
    labels = [x["label"] for x in editor.complete('"anvl.si|')]
    assert "anvl.sin" in labels and "anvl.sinh" in labels and "anvl.add" not in labels
    assert inserted(editor, '"anvl.si|', "anvl.sin").startswith('%a = "anvl.sin"')
    assert inserted(editor, "anvl.a|(", "anvl.add").startswith('%b = "anvl.add"(%a, %a)')
    help_ = editor.complete('"anvl.si|')[labels.index("anvl.sin")]["documentation"]["value"]
    assert "StableHLO `sine`" in help_
    editor = Editor(client, WAVE.replace("anvl.sin", "anvl.si"))
    assert inserted(editor, '"anvl.si|"', "anvl.sin").startswith('%a = "anvl.sin"(%x)')
    editor = Editor(client, WAVE.replace('"anvl.sin"', '"own.'))
    assert [x["label"] for x in editor.complete('"own.|')] == ["own.crash", "own.half"]


def test_names_of_attributes_are_completed_where_one_may_begin(client):
    editor = Editor(client, WAVE.replace("{axes = array<i64: 0>}", "{|}".replace("|", "ax")))
    assert inserted(editor, "{ax|}", "axes").startswith('%b = "anvl.sum"(%a) {axes = }')
    editor.type('%a = "anvl.slice"(%x) {strides = array<i64: 1>, }')
    labels = [x["label"] for x in editor.complete("1>, |}")]
    assert "limit_indices" in labels and "strides" not in labels
    editor.type(WAVE.replace("{axes = ", "<{axes = "))
    assert editor.complete("<{axes = |") == []
    assert editor.complete("func.func @wave(%x: tensor<3xf32>) -> tensor<f32> {|") == []


def test_symbols_are_completed(client):
    editor = Editor(client, WAVE.replace("call @wave", "call @"))
    assert [x["label"] for x in editor.complete("call @|")] == ["@twice", "@wave"]
    assert inserted(editor, "call @|", "@wave").startswith("%a = call @wave(%x)")


def test_nothing_is_completed_in_a_comment(client):
    assert Editor(client, '// "anvl.si').complete('// "anvl.si|') == []


# Code actions


@pytest.mark.parametrize(
    ("title", "line", "part"),
    [
        ("Show the gradient of @wave", 2, "func.func @wave_adjoint("),
        ("Show the gradient of @three", 13, "func.func @three_bwd"),
        ("Show the tangent of @wave", 2, "func.func @wave_tangent("),
        ("Show @wave on a batch of 8", 2, "tensor<8x3xf32>"),
        ("Show StableHLO", 8, "stablehlo.sine"),
    ],
)
def test_code_actions_open_what_passes_make(client, title, line, part):
    three = """\
func.func @three(%x: tensor<3xf32>) -> tensor<3xf32> {
  %a = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %a : tensor<3xf32>
}
"""
    editor = Editor(client, f"{WAVE}{three}")
    text = editor.run(editor.actions(line)[title])
    assert part in text
    assert text.startswith("// anvl-opt wave")
    shown = [x["params"] for x in client.heard if x.get("method") == "window/showDocument"][-1]
    assert Path(unquote(urlsplit(shown["uri"]).path)).read_text() == text
    assert Editor(client, text).diagnostics() == []


def test_an_error_of_a_code_action_is_a_message(client):
    editor = Editor(client, WAVE.replace("anvl.sin", "anvl.neg").replace("f32", "i32"))
    actions = editor.actions(9)
    assert next(iter(actions)) == "Show the gradient of @twice"
    assert editor.run(actions["Show the gradient of @twice"]) is None
    assert "anvl-gradient" in messages(client)[-1]["message"]
    assert messages(client)[-1]["type"] == 1
    editor.type("func.func @f(")
    assert editor.run(editor.actions(1)["Show StableHLO"]) is None
    assert "error: " in messages(client)[-1]["message"]


def test_a_document_that_is_not_open_has_null_for_an_answer(client, tmp_path):
    (tmp_path / "there.mlir").write_text(WAVE)
    closed = Editor(client, WAVE)
    client.notify("textDocument/didClose", textDocument=closed.id)
    place = {"line": 0, "character": 0}
    context = {"diagnostics": [], "includeDeclaration": True}
    asked = {"position": place, "range": {"start": place, "end": place}, "context": context}
    for uri in ("file:///none.mlir", "untitled:1", (tmp_path / "there.mlir").as_uri(), closed.uri):
        for do in "hover definition references documentSymbol completion codeAction".split():
            params = asked | {"textDocument": {"uri": uri}}
            if do == "completion":
                del params["context"]
            assert client.request(f"textDocument/{do}", **params) is None
        changed = {"uri": uri, "version": 2}
        client.notify("textDocument/didChange", textDocument=changed, contentChanges=[])
    (action, *_) = Editor(client, WAVE).actions(1).values()
    assert (
        Editor.run(closed, action | {"arguments": ["untitled:1", *action["arguments"][1:]]}) is None
    )
    assert messages(client)[-1]["message"] == "untitled:1 is not open: open it, and ask again"
    assert Editor(client, WAVE).diagnostics() == []  # checks go on


# Hostile texts

HOSTILE = [
    "",
    "\0",
    "\ud800",
    "\r\n\r\n",
    "\u2028 %x",
    "{" * 6_000,
    "(" * 6_000,
    "^a(" * 5_000,
    "%a, " * 5_000,
    '"' + "\\" * 9_999,
    "@" * 5_000,
    "// -----\n" * 500,
    "}" * 500,
    "loc(" * 2_000,
    "#loc = loc(" * 500,
    "module { module @m {",
    "func.func @f(%x: tensor<",
    '"anvl.sin"() : () -> ()',
    "#a = #a\n!b = !b",
    'func.func @f() { "stablehlo.reduce"() : () -> () }',
    WAVE[:100],
    WAVE[100:],
    WAVE.replace("%", "@"),
    WAVE.replace("\n", "\r"),
    WAVE.replace("3", "99999999999999999999"),
    "-" * 5_000,
    "é😀" * 500,
]


@pytest.mark.sweep(keep=0)
def test_hostile_texts_leave_the_server_alive(client):
    for text in HOSTILE:
        editor = Editor(client, text)
        client.request("textDocument/documentSymbol", textDocument=editor.id)
        middle = {"line": 0, "character": len(text) // 2}
        for method in ("hover", "definition", "completion", "references"):
            more = {"context": {"includeDeclaration": True}} if method == "references" else {}
            client.request(
                f"textDocument/{method}", textDocument=editor.id, position=middle, **more
            )
        for place in ({"line": 10**6, "character": 10**6}, {"line": 0, "character": 10**9}):
            client.request("textDocument/hover", textDocument=editor.id, position=place)
        assert isinstance(client.diagnostics(editor.uri, 1), list)
    assert Editor(client, WAVE).diagnostics() == []


def test_a_text_that_ends_the_child_is_an_error_and_the_next_is_read(client):
    editor = Editor(client, WAVE.replace("anvl.sin", "own.crash"))
    assert editor.diagnostics() == [(1, "1: f", "reading this text ended the process with SIGSEGV")]
    assert editor.run(editor.actions(1)["Show StableHLO"]) is None
    assert messages(client)[-1]["message"].endswith("ended the process with SIGSEGV")
    assert editor.type(WAVE).diagnostics() == []


def test_the_server_does_not_import_jaxlib(client):
    maps = Path(f"/proc/{client.process.pid}/maps")
    if not maps.exists():
        pytest.skip("the system does not list the libraries of a process")
    text = maps.read_text()
    assert "torch_mlir" in text
    assert "jaxlib" not in text
