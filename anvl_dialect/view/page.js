"use strict";
// The page of a program; anvl_dialect/view/story.py describes the data.
(() => {
  const $ = id => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const SVG = $("drawing").namespaceURI;
  const MANY_LINES = 3000; // from here on all functions but the first begin folded
  // A stage that is the same as the one before has its data.
  const real = data.stages.map((each, i) => { while (data.stages[i].same) i--; return i; });
  const state = { stage: 0, graph: 0, held: null, hits: [], hit: -1, zoom: 1, lines: [], nodes: new Map() };

  const make = (parent, tag, attributes = {}, text = "") => {
    const isDrawn = parent.namespaceURI === SVG;
    const made = isDrawn ? document.createElementNS(SVG, tag) : document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text) made.textContent = text;
    parent.append(made);
    return made;
  };
  const push = (map, key, value) => map.has(key) ? map.get(key).push(value) : map.set(key, [value]);

  // What is known of a stage, by op and by line.
  const known = i => {
    const stage = data.stages[real[i]];
    if (stage.known) return stage.known;
    const of = { owner: [], at: new Map(), opener: new Map(), adjoints: new Map(),
      users: new Map(), from: new Map(), folded: new Set() };
    stage.ops.forEach(([line, last, file, row, forward, operands], op) => {
      for (let l = line; line >= 0 && l <= last; l++) of.owner[l] = op;
      if (file >= 0) push(of.from, `${file}:${row}`, op);
      for (const each of forward) push(of.adjoints, each, op);
      for (const each of operands) push(of.users, each, op);
      const isFunction = op > 0 && last > line && /^ {2}\S/.test(stage.lines[line] || "");
      if (isFunction && stage.lines.length > MANY_LINES && line > 1) of.folded.add(op);
    });
    stage.graphs.forEach((graph, g) => graph.n.forEach((node, n) => {
      if (node[6] >= 0) of.at.set(node[6], [g, n]);
      if (node[7] >= 0) of.opener.set(node[7], [g, n]);
    }));
    return stage.known = of;
  };
  const here = () => data.stages[real[state.stage]];
  const short = (stage, op) => {
    const line = stage.ops[op][0];
    return line < 0 ? `op ${op}, in a body that is not printed` : stage.lines[line].trim();
  };

  // Text

  const showText = () => {
    const stage = here(), of = known(state.stage), all = document.createDocumentFragment();
    state.lines = stage.lines.map((text, l) => {
      const op = of.owner[l], line = make(all, "div", { "data-op": op });
      const opens = op !== undefined && stage.ops[op][0] === l && stage.ops[op][1] > l;
      const gutter = make(line, "i", opens ? { "data-fold": op } : {});
      if (opens) gutter.textContent = "\u25be";
      line.append(text);
      return line;
    });
    $("lines").replaceChildren(all);
    fold();
  };
  const fold = () => {
    const stage = here(), { folded } = known(state.stage);
    for (const line of state.lines) line.hidden = false;
    for (const gutter of $("lines").querySelectorAll("i[data-fold]")) {
      const op = Number(gutter.dataset.fold), [line, last] = stage.ops[op];
      gutter.textContent = folded.has(op) ? "\u25b8" : "\u25be";
      if (folded.has(op)) for (let l = line + 1; l <= last; l++) state.lines[l].hidden = true;
    }
  };
  const unfold = line => {
    const { folded } = known(state.stage), { ops } = here();
    for (const op of folded) if (ops[op][0] < line && line <= ops[op][1]) folded.delete(op);
    fold();
  };

  // Graph

  const scale = () => {
    const { w, h } = here().graphs[state.graph];
    $("drawing").setAttribute("width", (w + 4) * state.zoom);
    $("drawing").setAttribute("height", (h + 4) * state.zoom);
  };
  const showGraph = g => {
    state.graph = g;
    const graph = here().graphs[g], drawing = $("drawing"), { opener } = known(state.stage);
    drawing.replaceChildren();
    scale();
    drawing.setAttribute("viewBox", `-2 -2 ${graph.w + 4} ${graph.h + 4}`);
    const tip = make(make(drawing, "defs"), "marker", { id: "tip", viewBox: "0 0 8 8", refX: 8,
      refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
    make(tip, "path", { d: "M0 0 8 4 0 8Z" });
    state.nodes = new Map(graph.n.map(([x, y, width, height, label, kind], n) => {
      const node = make(drawing, "g", { class: kind, "data-node": n });
      make(node, "rect", { x, y, width, height, rx: 4 });
      make(node, "text", { x: x + 9, y: y + 15 }, label);
      return [n, node];
    }));
    for (const points of graph.e) {
      make(drawing, "path", { d: `M${points.join(" ")}`, "marker-end": "url(#tip)" });
    }
    const trail = [g];
    while (opener.has(trail[0])) trail.unshift(opener.get(trail[0])[0]);
    $("path").replaceChildren();
    for (const each of trail) {
      if (each !== trail[0]) $("path").append(" \u203a ");
      make($("path"), "button", { "data-graph": each }, here().graphs[each].t);
    }
  };
  // The node of the graph on show that is an op, or holds it.
  const nodeOf = op => {
    const { at, opener } = known(state.stage);
    let [g, n] = at.get(op) || [-1, -1];
    while (g >= 0 && g !== state.graph) [g, n] = opener.get(g) || [-1, -1];
    return g < 0 ? undefined : state.nodes.get(n);
  };

  // Source

  let shown = -1;
  const showSource = file => {
    if (file === shown || !data.files[file]?.lines) return;
    shown = file;
    $("file").textContent = data.files[file].name;
    const all = document.createDocumentFragment();
    data.files[file].lines.forEach((text, l) => {
      const line = make(all, "div", { "data-row": l + 1 });
      make(line, "i", {}, String(l + 1));
      line.append(text);
    });
    $("source-lines").replaceChildren(all);
  };
  const sourceLine = (file, row) => file === shown ? $("source-lines").children[row - 1] : undefined;

  // Light

  const CLASSES = ["near", "forward", "adjoint-of", "on"];
  const mark = (ops, name) => {
    for (const op of ops) {
      const line = here().ops[op][0];
      state.lines[line]?.classList.add(name);
      nodeOf(op)?.classList.add(name);
    }
  };
  const reveal = (element, pane) => {
    if (element && !element.hidden && !$(pane).matches(":hover")) {
      element.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  };
  const light = ops => {
    for (const name of CLASSES) {
      for (const each of document.querySelectorAll(`.${name}`)) each.classList.remove(name);
    }
    const stage = here(), { users, adjoints } = known(state.stage);
    for (const op of ops) {
      const [, , file, row, forward, operands] = stage.ops[op];
      if (ops.length === 1) {
        mark(operands, "near");
        mark(users.get(op) || [], "near");
      }
      mark(forward, "forward");
      mark(adjoints.get(op) || [], "adjoint-of");
      if (file >= 0) {
        showSource(file);
        sourceLine(file, row)?.classList.add("on");
      }
    }
    mark(ops, "on");
    if (!ops.length) return;
    const [line, , file, row] = stage.ops[ops[0]];
    reveal(state.lines[line], "text");
    reveal(nodeOf(ops[0]), "graph");
    reveal(sourceLine(file, row), "source");
    if (ops.length === 1) about(ops[0]);
  };
  const links = (label, i, ops) => {
    if (!ops?.length) return;
    const row = make($("about"), "div");
    make(row, "b", {}, `${label} `);
    for (const op of ops) {
      make(row, "button", { "data-stage": i, "data-go": op }, short(data.stages[real[i]], op));
      if (op !== ops[ops.length - 1]) make(row, "br");
    }
  };
  const neighbour = step => {
    let i = state.stage + step;
    while (i >= 0 && i < real.length && real[i] === real[state.stage]) i += step;
    return i >= 0 && i < real.length ? i : -1;
  };
  const about = op => {
    const stage = here(), [, , file, row, forward] = stage.ops[op], to = neighbour(1);
    const before = neighbour(-1);
    $("about").replaceChildren();
    make($("about"), "div", {}, short(stage, op));
    if (file >= 0) {
      const text = data.files[file].lines?.[row - 1]?.trim() ?? "";
      make($("about"), "div", {}, `${data.files[file].name}:${row}   ${text}`);
    }
    links("adjoint of", state.stage, forward);
    links("its adjoint:", state.stage, known(state.stage).adjoints.get(op));
    if (before >= 0) {
      const next = Object.entries(data.stages[real[before]].next || {});
      const made = next.filter(([, ops]) => ops.includes(op)).map(([each]) => Number(each));
      links(`${data.stages[real[before]].title}:`, real[before], made);
    }
    if (to >= 0) {
      const made = stage.next?.[op];
      if (made) links(`${data.stages[to].title} made:`, to, made);
      else make($("about"), "div", {}, `${data.stages[to].title} removed it`);
    }
  };

  // Moving

  const show = i => {
    state.stage = i;
    state.held = null;
    for (const button of $("stages").children) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.stage) === i));
    }
    showText();
    showGraph(0);
    search(false);
  };
  const go = (i, op) => {
    if (real[i] !== real[state.stage] || i !== state.stage) show(i);
    const at = known(i).at.get(op);
    if (at && at[0] !== state.graph) showGraph(at[0]);
    state.held = op;
    unfold(here().ops[op][0]);
    search(false);
    light([op]);
    state.lines[here().ops[op][0]]?.scrollIntoView({ block: "nearest" });
    nodeOf(op)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const point = ops => { if (state.held === null) light(ops); };
  const letGo = () => { state.held = null; light([]); };

  // Search

  const search = moves => {
    const wanted = $("search").value.trim().toLowerCase(), { owner } = known(state.stage);
    for (const each of document.querySelectorAll(".found")) each.classList.remove("found");
    state.hits = [];
    if (wanted) {
      here().lines.forEach((text, l) => {
        if (!text.toLowerCase().includes(wanted) || owner[l] === undefined) return;
        state.hits.push(l);
        state.lines[l].classList.add("found");
        nodeOf(owner[l])?.classList.add("found");
      });
    }
    if (moves) state.hit = -1;
    $("count").textContent = wanted ? `${state.hits.length} found` : "";
  };
  const nextHit = step => {
    const count = state.hits.length;
    if (!count) return;
    state.hit = (state.hit + step + count) % count;
    const at = state.hit;
    go(state.stage, known(state.stage).owner[state.hits[at]]);
    $("count").textContent = `${at + 1} of ${count}`;
  };

  // Events

  const opAt = (event, attribute) => {
    const element = event.target.closest?.(`[${attribute}]`);
    return element ? Number(element.getAttribute(attribute)) : NaN;
  };
  const opsAt = event => {
    const op = opAt(event, "data-op"), n = opAt(event, "data-node"), row = opAt(event, "data-row");
    if (!Number.isNaN(op)) return [op];
    if (!Number.isNaN(row)) return known(state.stage).from.get(`${shown}:${row}`) || [];
    const node = Number.isNaN(n) ? undefined : here().graphs[state.graph].n[n];
    return node && node[6] >= 0 ? [node[6]] : [];
  };
  for (const pane of ["text", "graph", "source"]) {
    $(pane).addEventListener("mouseover", event => {
      const ops = opsAt(event);
      if (ops.length) point(ops);
    });
    $(pane).addEventListener("click", event => {
      const op = opAt(event, "data-fold"), g = opAt(event, "data-graph");
      const n = opAt(event, "data-node");
      if (!Number.isNaN(op)) {
        const { folded } = known(state.stage);
        if (!folded.delete(op)) folded.add(op);
        return fold();
      }
      if (!Number.isNaN(g)) return showGraph(g);
      const opened = Number.isNaN(n) ? -1 : here().graphs[state.graph].n[n][7];
      if (opened >= 0) return showGraph(opened);
      const ops = opsAt(event);
      if (ops.length === 1) go(state.stage, ops[0]);
      else if (ops.length) { state.held = ops[0]; light(ops); }
    });
  }
  $("graph").addEventListener("wheel", event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    state.zoom = Math.min(4, Math.max(0.1, state.zoom * Math.exp(-event.deltaY / 300)));
    scale();
  }, { passive: false });
  document.addEventListener("click", event => {
    const op = opAt(event, "data-go");
    if (!Number.isNaN(op)) go(opAt(event, "data-stage"), op);
  });
  $("stages").addEventListener("click", event => {
    const i = opAt(event, "data-stage");
    if (!Number.isNaN(i)) show(i);
  });
  $("search").addEventListener("input", () => search(true));
  $("search").addEventListener("keydown", event => {
    if (event.key === "Enter") nextHit(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") $("search").blur();
  });
  document.addEventListener("keydown", event => {
    if (event.target === $("search")) return;
    if (event.key === "/") { event.preventDefault(); $("search").focus(); }
    if (event.key === "Escape") letGo();
    const to = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (to && data.stages[state.stage + to]) show(state.stage + to);
  });

  $("title").textContent = document.title;
  data.stages.forEach((stage, i) => make($("stages"), "button", { "data-stage": i,
    class: stage.same ? "same" : "", title: stage.same ? "changes nothing" : "" }, stage.title));
  const first = data.files.findIndex(file => file.lines);
  $("panes").classList.toggle("no-source", first < 0);
  showSource(first);
  show(0);
})();
