// RUN: not anvl-diff %s --cse | filecheck %s --check-prefix=CSE
// RUN: not anvl-diff %s --each --cse --canonicalize --anvl-lower-to-stablehlo | filecheck %s --check-prefix=EACH
// RUN: not anvl-diff %s --cse --json | filecheck %s --check-prefix=JSON
// RUN: anvl-diff %s --symbol-dce | filecheck %s --allow-empty --check-prefix=SAME
// RUN: not anvl-diff %s -p 'cse' -o %t && filecheck %s --check-prefix=CSE < %t

// SAME-NOT: {{.}}

// A pass is shown by the ops that it changed: their users, which only read another name, are not.

// CSE:      @f{{$}}
// CSE-NEXT:   - %b = "anvl.mul"(%x, %y)
// CSE-NEXT:       equal to %a = "anvl.mul"(%x, %y)
// CSE-NEXT:   - %unused = "anvl.tanh"(%y)
// CSE-NEXT: 2 removed; 7 ops as before

// EACH:      cse: 2 removed; 7 ops as before
// EACH:      canonicalize: no change; 7 ops as before
// EACH-NEXT: anvl-lower-to-stablehlo: 4 changed, 3 added; 3 ops as before
// EACH:        ~ %d = "anvl.sin"(%c)
// EACH-NEXT:       name: anvl.sin -> stablehlo.sine

// JSON:      "same": false
// JSON:      "removed": 2
// JSON:      "kind": "removed"
// JSON-NEXT: "function": "f"
func.func @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<f32> {
  %a = "anvl.mul"(%x, %y) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %b = "anvl.mul"(%x, %y) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %c = "anvl.add"(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %unused = "anvl.tanh"(%y) : (tensor<3xf32>) -> tensor<3xf32>
  %d = "anvl.sin"(%c) : (tensor<3xf32>) -> tensor<3xf32>
  %0 = "anvl.sum"(%d) {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
