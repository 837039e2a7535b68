// RUN: anvl-viz %s --format=mermaid | filecheck %s --check-prefix=MERMAID
// RUN: anvl-viz %s -o %t.gv && filecheck %s --check-prefix=DOT < %t.gv
// RUN: anvl-viz %s --format=dot -p 'anvl-lower-to-stablehlo' | filecheck %s --check-prefix=LOWERED
// RUN: anvl-viz %s -o %t.svg && filecheck %s --check-prefix=SVG < %t.svg
// RUN: anvl-viz %s --anvl-gradient=function=f --cse -o %t.html --title="a & b" && filecheck %s --check-prefix=PAGE < %t.html
// RUN: anvl-viz %s --source=0 | filecheck %s --check-prefix=BARE

// A graph has the ops by the names of their results; the page has each stage, and the input itself.

// MERMAID:      flowchart TD
// MERMAID-NEXT:   subgraph g0["@f"]
// MERMAID-NEXT:     g0_0(["%x, %y"])
// MERMAID-NEXT:     g0_1["%a mul"]
// MERMAID-NEXT:     g0_2["%b sum"]
// MERMAID-NEXT:     g0_3["return"]
// MERMAID-NEXT:     g0_0 --> g0_1
// MERMAID-NEXT:     g0_1 --> g0_2
// MERMAID-NEXT:     g0_2 --> g0_3

// DOT:   digraph "{{.*}}formats.mlir" {
// DOT:     g0_1 [label="%a mul"];
// DOT:     g0_1 -> g0_2;

// LOWERED: g0_1 [label="%a multiply"];
// LOWERED: g0_3 [label="%b_0 reduce"];
// LOWERED: g0_3_0_1 [label="add"];

// SVG: <svg xmlns="http://www.w3.org/2000/svg"
// SVG: %a mul</text>

// PAGE:      <title>a &amp; b</title>
// PAGE:      {"files":[{"name":"{{[^"]*}}formats.mlir","lines":["// RUN
// PAGE-SAME: {"title":"as read",
// PAGE-SAME: "title":"anvl-gradient{function=f}"
// PAGE-SAME: {"title":"cse",

// BARE: "lines":null
func.func @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<f32> {
  %a = "anvl.mul"(%x, %y) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %b = "anvl.sum"(%a) {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  return %b : tensor<f32>
}
