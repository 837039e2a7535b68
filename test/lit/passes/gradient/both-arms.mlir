// RUN: anvl-opt %s --anvl-gradient="function=both" | filecheck %s --check-prefix=BOTH
// RUN: anvl-opt %s --anvl-gradient="function=one" | filecheck %s --check-prefix=ONE

// Both arms of a choice read %d: what is added to its cotangent by either is zero elsewhere, and the sum
// nowhere, so nothing is masked behind the absolute value.  Of two choices, elements may be in neither.

// BOTH-LABEL: func.func @both_adjoint(
// BOTH-COUNT-2: anvl.select
// BOTH-NOT: anvl.not
// BOTH-NOT: anvl.or
// BOTH: "anvl.sign"
// BOTH-NEXT: %[[DX:.*]] = "anvl.mul"
// BOTH-NEXT: return %{{.*}}, %[[DX]] :
func.func @both(%x: tensor<3xf32>, %p: tensor<3xi1>) -> tensor<f32> {
  %d = "anvl.abs"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %s = "anvl.exp"(%d) : (tensor<3xf32>) -> tensor<3xf32>
  %y = "anvl.select"(%p, %s, %d) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %t = "anvl.sum"(%y) {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  return %t : tensor<f32>
}

// ONE-LABEL: func.func @one_adjoint(
// ONE: "anvl.or"
// ONE: anvl.select
// ONE: return
func.func @one(%x: tensor<3xf32>, %z: tensor<3xf32>, %p: tensor<3xi1>, %q: tensor<3xi1>) -> tensor<f32> {
  %d = "anvl.abs"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %s = "anvl.exp"(%d) : (tensor<3xf32>) -> tensor<3xf32>
  %a = "anvl.select"(%p, %s, %z) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %b = "anvl.select"(%q, %d, %z) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %y = "anvl.add"(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %t = "anvl.sum"(%y) {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  return %t : tensor<f32>
}
