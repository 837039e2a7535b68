"""Pages and pictures of programs: complete, for themselves, and in a browser where there is one."""

import json
import random
import re
import shutil
import subprocess
import time
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import Browser, found
from tool_server import tool

import anvl
import anvl.numpy as np
from anvl.dialect.core.context import context
from anvl.dialect.text.parsing import parsed
from anvl.dialect.text.value_names import keep_names
from anvl.dialect.view.drawing import drawing, svg
from anvl.dialect.view.folding import folded, functions_folded
from anvl.dialect.view.graph_text import dot, mermaid
from anvl.dialect.view.layout import layered
from anvl.dialect.view.page import in_notebook, page
from anvl.dialect.view.record import recorded
from anvl.dialect.view.story import story
from anvl.passes import Pipeline

BROWSER = found()


def loss(w, x):
    h = np.tanh(x @ w)
    _, out = anvl.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * h), (0, h))
    return np.sum(out)


LOWERED = anvl.jit(anvl.grad(loss)).lower(anvl.aval("f32", (3, 3)), anvl.aval("f32", (3, 3)))
TANH_LINE = loss.__code__.co_firstlineno + 1


def stages():
    return [(name, recorded(module)) for name, module in LOWERED._stages.items()]


def own_source(name):
    return Path(name).read_text().splitlines() if name == __file__ else None


PAGE = page("loss", stages(), own_source)


def read(text):
    module = parsed(text, "text", context())
    keep_names(module, text)
    return module


def long_program(n):
    lines = ["func.func @f(%x: tensor<f32>) -> tensor<f32> {"]
    one = "(tensor<f32>) -> tensor<f32>"
    lines += [f'  %{i} = "anvl.sin"({f"%{i - 1}" if i else "%x"}) : {one}' for i in range(n)]
    return "\n".join([*lines, f"  return %{n - 1} : tensor<f32>", "}"])


# The page, without a browser


class Elements(HTMLParser):
    """Ids, and whether each element that is opened is closed."""

    VOID = ("meta", "input", "br")

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.texts = [], [], {}

    def handle_starttag(self, tag, attrs):
        self.ids += [value for key, value in attrs if key == "id"]
        assert not [key for key, _ in attrs if key in ("src", "href") or key.startswith("on")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.setdefault(self.open[-1] if self.open else "", []).append(data)


def elements(text):
    parser = Elements()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    return parser


def data_of(text):
    return json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', text, re.DOTALL)[1])


def test_the_page_is_html_with_all_ids_that_its_script_names_and_loads_nothing():
    parser = elements(PAGE)
    script = parser.texts["script"][-1]
    assert len(parser.ids) == len(set(parser.ids))
    named = set(re.findall(r'\$\("([\w-]+)"\)', script))
    named |= set(re.findall(r'reveal\(.*?, "([\w-]+)"\)', script))
    assert len(named) > 10
    assert named <= set(parser.ids)
    assert not re.search("https?:|//[a-z]", page("loss", stages(), lambda name: None))
    assert "default-src 'none'" in PAGE
    assert "{{" not in re.sub(r"(?s)<script.*?</script>", "", PAGE)


@pytest.mark.skipif(not shutil.which("node"), reason="no node")
def test_the_script_is_javascript(tmp_path):
    path = tmp_path / "page.js"
    path.write_text(elements(PAGE).texts["script"][-1])
    subprocess.run(["node", "--check", path], check=True, timeout=60)


def test_text_in_a_program_does_not_leave_its_data():
    text = '"</script><script>alert(1)</script><!--"'
    module = read(f"module attributes {{t.note = {text}}} {{}}")
    made = page("<b>&", [("<i>", recorded(module))], lambda name: None)
    assert len(elements(made).texts["script"]) == 2
    assert "</script><script>alert" in data_of(made)["stages"][0]["lines"][0].replace("\\22", '"')
    assert "<title>&lt;b&gt;&amp;</title>" in made
    frame = elements(in_notebook(made))
    assert frame.texts == {}


def test_each_op_has_a_line_a_node_and_a_source():
    for stage in data_of(PAGE)["stages"]:
        if "same" in stage:
            continue
        nodes = [node[6] for graph in stage["graphs"] for node in graph["n"] if node[6] >= 0]
        assert sorted(nodes) == sorted(set(nodes))
        lines = [op[0] for op in stage["ops"]]
        assert lines[0] == 0 and max(lines) < len(stage["lines"])
        printed = [i for i, line in enumerate(lines) if line >= 0]
        graphs_hold = set(nodes) | {0}
        functions = {i for i in printed if stage["lines"][lines[i]].startswith("  func.func")}
        assert set(printed) - graphs_hold <= functions


def op_with(stage, text):
    """The number of the first op whose line has a text."""
    lines = [stage["lines"][op[0]] if op[0] >= 0 else "" for op in stage["ops"]]
    return next(i for i, line in enumerate(lines) if text in line and "func.func" not in line)


def test_adjoint_ops_name_their_forward_ops_and_ops_their_lines():
    data = data_of(PAGE)
    gradient = next(stage for stage in data["stages"] if stage["title"] == "gradient")
    tanh = op_with(gradient, "anvl.tanh")
    adjoint = op_with(gradient, "anvl.sech_squared")
    assert gradient["ops"][adjoint][4] == [tanh]
    # The ops of a loop have one location: the name tells which one it is.
    forward_loop, adjoint_loop = (
        op_with(gradient, f"{name} = stablehlo.while") for name in ("%2:2", "%while_adjoint_6:3")
    )
    assert gradient["ops"][adjoint_loop][4] == [forward_loop]
    file, line = gradient["ops"][adjoint][2:4]
    assert data["files"][file]["name"] == __file__
    assert line == TANH_LINE
    assert "np.tanh" in data["files"][file]["lines"][line - 1]


def test_stages_tell_what_each_op_became():
    data = data_of(PAGE)
    titles = {stage["title"]: stage for stage in data["stages"]}
    assert titles["forward"] == {"title": "forward", "same": True}
    gradient, inline, last = (titles[name] for name in ("gradient", "inline", "stablehlo"))
    tanh = op_with(gradient, "anvl.tanh")
    [inlined] = gradient["next"][str(tanh)]
    assert inlined == op_with(inline, "anvl.tanh")
    assert inline["next"][str(inlined)] == [op_with(last, "stablehlo.tanh")]


def unrolled(n, is_one_line):
    """A loop of `n` steps, unrolled, whose ops come from one line, or from a line each."""
    lines, types = (
        ["func.func @f(%x: tensor<f32>) -> tensor<f32> {"],
        "(tensor<f32>) -> tensor<f32>",
    )
    for i in range(n):
        x = f"%m{i - 1}" if i else "%x"
        for j, op in enumerate([f'%s{i} = "anvl.sin"({x})', f'%m{i} = "anvl.neg"(%s{i})']):
            lines.append(f'{op} : {types} loc("f.py":{0 if is_one_line else i + 1}:{j + 1})')
    return "\n".join([*lines, f"return %m{n - 1} : tensor<f32>", "}"])


def test_adjoint_ops_of_an_unrolled_loop_name_the_op_of_their_step():
    found = []
    for is_one_line in (True, False):
        module = read(unrolled(20, is_one_line))
        Pipeline(["anvl-gradient{function=f}"]).run(module)
        told = story([("a", recorded(module))], lambda name: None)
        found.append([op[4] for op in told["stages"][0]["ops"]])
    assert found[0] == found[1]
    assert len({each[0] for each in found[0] if each}) >= 39


SAME_PLACE = """
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @f(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %a = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32> loc("f.py":1:1)
  %b = "anvl.sin"(%a) : (tensor<f32>) -> tensor<f32> loc("f.py":1:1)
  return %b : tensor<f32>
}
"""


def test_ops_of_one_place_are_told_apart_by_their_order():
    module = read(SAME_PLACE)
    first = recorded(module)
    Pipeline(["anvl-inline"]).run(module)
    told = story([("a", first), ("b", recorded(module))], lambda name: None)["stages"]
    sines = [
        [i for i, op in enumerate(stage["ops"]) if "sin" in stage["lines"][op[0]]] for stage in told
    ]
    assert [told[0]["next"][i] for i in sines[0]] == [[i] for i in sines[1]]


# Graphs, layout and the other formats


def test_a_long_program_is_folded_by_source_line():
    text = long_program(500)
    one = re.sub(r"%(\d+) = (.*)", lambda m: f'{m[0]} loc("f.py":{int(m[1]) // 100}:1)', text)
    graph = folded(recorded(read(one)), limit=20)
    assert [node.label for node in graph.nodes][:3] == [
        "%x",
        "f.py:0 (100 ops)",
        "f.py:1 (100 ops)",
    ]
    assert graph.edges == [(i, i + 1) for i in range(6)]
    inner = graph.nodes[1].hidden
    assert len(inner.nodes) <= 20 and inner.nodes[0].hidden is not None


@pytest.mark.parametrize("n", [30, 101, 1000, 5000])
def test_no_graph_is_much_larger_than_the_limit_and_no_op_is_lost(n):
    seen, pending = [], [folded(recorded(read(long_program(n))), limit=25)]
    while pending:
        graph = pending.pop()
        assert len(graph.nodes) <= 32
        for node in graph.nodes:
            pending += node.bodies + ([node.hidden] if node.hidden else [])
            seen += [node.op.number] if node.op else []
    assert sorted(seen) == list(range(2, n + 3))


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def test_nodes_of_a_layout_do_not_overlap_and_edges_point_down():
    random_ = random.Random(0)
    for count in (1, 2, 10, 60):
        sizes = [(random_.uniform(20, 120), 22.0) for _ in range(count)]
        pairs = {
            tuple(sorted(random_.sample(range(count), 2))) for _ in range(2 * count) if count > 1
        }
        placed = layered(sizes, sorted(pairs))
        boxes = [(x, y, x + w, y + h) for (x, y), (w, h) in zip(placed.nodes, sizes, strict=True)]
        for i, box in enumerate(boxes):
            assert not any(overlap(box, other) for other in boxes[:i])
            assert box[0] >= 0 and box[2] <= placed.width + 1e-6
        for (a, b), path in zip(sorted(pairs), placed.edges, strict=True):
            assert path[0][1] == boxes[a][3] and path[-1][1] == boxes[b][1]
            assert boxes[a][3] < boxes[b][1]
            assert all(0 <= x <= placed.width for x, _ in path)


def test_a_cycle_is_laid_out():
    placed = layered([(20, 20)] * 3, [(0, 1), (1, 2), (2, 0)])
    assert len(placed.edges) == 3 and len({y for _, y in placed.nodes}) == 3


LOOP = """
func.func @f(%x: tensor<3xf32>, %n: tensor<i32>) -> tensor<3xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%a = %x, %i = %c) : tensor<3xf32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = "anvl.sin"(%a) : (tensor<3xf32>) -> tensor<3xf32>
    stablehlo.return %s, %i : tensor<3xf32>, tensor<i32>
  }
  return %r#0 : tensor<3xf32>
}
func.func private @g(tensor<3xf32>)
"""


def test_svg_is_xml_with_a_box_for_each_op():
    graphs = functions_folded(recorded(read(LOOP)))
    root = ET.fromstring(svg([drawing(graph) for graph in graphs], "a & b"))
    labels = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert labels.count("%0 while") == 1 and "%s sin" in labels and "%p compare" in labels
    assert labels[0] == "@f" and labels.count("return") == 3


@pytest.mark.parametrize(("made", "edge"), [(dot, " -> "), (mermaid, " --> ")])
def test_graphs_as_text_name_every_node_once_and_all_that_edges_join(made, edge):
    text = made(functions_folded(recorded(read(LOOP))), "a loop")
    nodes = re.findall(r"^ *(g[\d_]+)[\[(]| (g[\d_]+) \[", text, re.MULTILINE)
    names = [a or b for a, b in nodes]
    assert len(names) == len(set(names)) == 10
    ends = re.findall(rf"(g[\d_]+){edge}(g[\d_]+)", text)
    assert len(ends) == 8
    assert {name for pair in ends for name in pair} <= set(names)


@pytest.mark.skipif(not shutil.which("dot"), reason="no Graphviz")
def test_graphviz_reads_dot():
    text = dot(functions_folded(recorded(read(LOOP))), 'a "loop"')
    subprocess.run(["dot", "-Tsvg"], input=text, check=True, text=True, capture_output=True)


@pytest.mark.sweep(keep=0, part=0)
def test_ten_thousand_ops_take_seconds():
    module = read(long_program(10_000))
    first = recorded(module)
    Pipeline(["anvl-lower-to-stablehlo"]).run(module)
    start = time.process_time()
    told = story([("a", first), ("b", recorded(module))], lambda name: None)
    assert time.process_time() - start < 20
    assert len(told["stages"][0]["next"]) == 10_003
    assert len(json.dumps(told)) < 6_000_000


# The tool


def test_files_of_python_are_shown_only_below_the_program_or_here(tmp_path):
    for place in ("in/own.py", "out/secret.py", "in/secret.txt"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(f"# {place}\n")
    names = [str(tmp_path / place) for place in ("in/own.py", "out/secret.py", "in/secret.txt")]
    functions = [f'func.func private @f{i}() loc("{n}":1:1)' for i, n in enumerate(names)]
    (tmp_path / "in" / "a.mlir").write_text("\n".join(functions))
    command = [*tool("anvl-viz"), "in/a.mlir"]
    (tmp_path / "elsewhere").mkdir()
    command[-1] = "../in/a.mlir"
    done = subprocess.run(
        command, cwd=tmp_path / "elsewhere", capture_output=True, text=True, check=True
    )
    files = {each["name"]: each["lines"] for each in data_of(done.stdout)["files"]}
    assert [files[name] for name in names] == [["# in/own.py"], None, None]


# Notebooks


def frame_of(shown):
    return re.search(r'srcdoc="([^"]*)"', shown)[1].replace("&lt;", "<").replace("&quot;", '"')


def test_traces_lowered_and_loaded_programs_show_themselves_in_notebooks():
    traced = anvl.trace(loss, anvl.aval("f32", (3, 3)), anvl.aval("f32", (3, 3)))
    loaded = anvl.from_stablehlo(LOWERED.mlir())
    for shown, title in [
        (traced._repr_html_(), "traced"),
        (LOWERED._repr_html_(), "stablehlo"),
        (loaded._repr_html_(), "loaded"),
    ]:
        html = frame_of(shown)
        assert shown.startswith("<iframe")
        assert f'"title":"{title}"' in html
        has_source = "h = np.tanh(x @ w)" in html
        assert has_source is (title != "loaded")


# In a browser


@pytest.fixture(scope="module")
def browser():
    if BROWSER is None:
        pytest.skip("no Chromium or Chrome on the PATH, nor in ANVL_BROWSER")
    with Browser(BROWSER) as made:
        yield made


def texts(browser, selector):
    found = browser.value(
        f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)"
    )
    return [text.strip() for text in found]


@pytest.fixture
def opened(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    browser.open(path)
    yield browser
    assert browser.errors == []


def select(browser, title):
    browser.value(
        "[...document.querySelectorAll('#stages button')]"
        f".find(e => e.textContent === {json.dumps(title)}).click()"
    )


def line_with(browser, text):
    """The selector of the first line of MLIR with a text."""
    at = browser.value(
        "[...document.querySelectorAll('#lines div')]"
        f".findIndex(e => e.textContent.includes({json.dumps(text)}))"
    )
    assert at >= 0
    return f"#lines div:nth-child({at + 1})"


def test_pointing_at_an_op_lights_its_python_line_its_node_and_its_adjoint(opened):
    select(opened, "inline")
    opened.hover(line_with(opened, '"anvl.tanh"'))
    assert [text.lstrip("0123456789 ") for text in texts(opened, "#source-lines .on")] == [
        "h = np.tanh(x @ w)"
    ]
    assert texts(opened, "#drawing .on") == ["%h tanh"]
    adjoint = texts(opened, "#lines .adjoint-of")
    assert any("sech_squared" in text for text in adjoint), adjoint
    opened.hover(line_with(opened, "sech_squared"))
    assert [text[:14] for text in texts(opened, "#lines .forward")] == ['%h = "anvl.tan']


def test_pointing_at_a_node_or_a_python_line_lights_the_text(opened):
    select(opened, "inline")
    opened.hover("#drawing g.constant")
    assert ["anvl.constant" in text for text in texts(opened, "#lines .on")] == [True]
    opened.hover(f"#source-lines div:nth-child({TANH_LINE})")
    assert any("anvl.dot_general" in text for text in texts(opened, "#lines .on"))


def test_a_click_tells_what_passes_made_of_an_op_and_leads_there(opened):
    select(opened, "gradient")
    opened.click(line_with(opened, '"anvl.tanh"'))
    assert texts(opened, "#path button")[-1] == "@loss_vjp"
    about = opened.value("document.querySelector('#about').innerText")
    assert "inline made:" in about and "h = np.tanh(x @ w)" in about
    inline = texts(opened, "#stages button").index("inline")
    opened.click(f"#about [data-stage='{inline}']")
    assert texts(opened, "#stages [aria-pressed=true]") == ["inline"]
    assert ["tanh" in text for text in texts(opened, "#lines .on")] == [True]


def test_searching_finds_and_goes_through_lines(opened):
    select(opened, "stablehlo")
    opened.click("#search")
    opened.type("Compare lt, %")
    opened.wait("document.querySelector('#count').textContent === '1 found'")
    for key in ("keyDown", "keyUp"):
        opened.call("Input.dispatchKeyEvent", type=key, key="Enter", code="Enter")
    assert opened.value("document.querySelector('#count').textContent") == "1 of 1"
    assert ["stablehlo.compare LT" in text for text in texts(opened, "#lines .on")] == [True]


def test_functions_fold_and_long_programs_open_at_the_op(browser, tmp_path):
    path = tmp_path / "long.html"
    path.write_text(page("long", [("a", recorded(read(long_program(10_000))))], lambda name: None))
    start = time.monotonic()
    browser.open(path)
    browser.click(line_with(browser, "%5000 ="))
    assert "%5000 sin" in texts(browser, "#drawing .on")
    assert time.monotonic() - start < 20
    browser.click("#lines div:nth-child(2) i")
    assert browser.value("document.querySelector('#lines div:nth-child(5000)').hidden")
    assert browser.errors == []


def test_the_page_has_a_picture(opened, tmp_path):
    select(opened, "inline")
    opened.hover(line_with(opened, '"anvl.tanh"'))
    picture = opened.picture()
    assert picture.startswith(b"\x89PNG") and len(picture) > 20_000
