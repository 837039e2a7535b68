// RUN: anvl-opt %s --anvl-gradient=function=parts | %run --function=parts_adjoint --args="[[1,2],[3,4],[5,6],7]" | %numbers %s --check-prefix=PARTS
// RUN: anvl-opt %s --anvl-gradient="function=parts target=3" | %run --function=parts_adjoint --args="[[1,2],[3,4],[5,6],7]" | %numbers %s --check-prefix=SAME
// RUN: anvl-opt %s --anvl-gradient | %run --function=twice_vjp --args="[2,10,100]" | %numbers %s --check-prefix=TWICE
// RUN: anvl-opt %s --anvl-verify-gradient=function=parts -o %t 2>&1 | filecheck %s --check-prefix=VERIFIED

// Tuples of tensors, which IR has as several arguments and results: used in part, passed on,
// returned twice or unchanged, unused.  The cases are those of the document on reverse mode in
// Relax (TVM, 2023).

// VERIFIED-COUNT-4: , ok

// ((x, y), (z,)): swapped by a function, x partly used, z unused, s returned unchanged.

// PARTS:      f64[] 3.0
// PARTS-NEXT: f64[2] 1.0 2.0
// PARTS-NEXT: f64[2] 1.0 2.0
// PARTS-NEXT: f64[] 7.0
// PARTS-NEXT: f64[2] 3.0 0.0
// PARTS-NEXT: f64[2] 1.0 0.0
// PARTS-NEXT: f64[2] 0.0 0.0
// PARTS-NEXT: f64[] 0.0

// Of the argument that is returned as it is:
// SAME:      f64[] 3.0
// SAME-NEXT: f64[2] 1.0 2.0
// SAME-NEXT: f64[2] 1.0 2.0
// SAME-NEXT: f64[] 7.0
// SAME-NEXT: f64[2] 0.0 0.0
// SAME-NEXT: f64[2] 0.0 0.0
// SAME-NEXT: f64[2] 0.0 0.0
// SAME-NEXT: f64[] 1.0
func.func @parts(%x: tensor<2xf64>, %y: tensor<2xf64>, %z: tensor<2xf64>, %s: tensor<f64>)
    -> (tensor<f64>, tensor<2xf64>, tensor<2xf64>, tensor<f64>) {
  %0:3 = func.call @swapped(%x, %y, %z)
    : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
  %1 = "anvl.mul"(%0#0, %0#1) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %2 = "anvl.slice"(%1) {start_indices = array<i64: 0>, limit_indices = array<i64: 1>,
      strides = array<i64: 1>} : (tensor<2xf64>) -> tensor<1xf64>
  %3 = "anvl.sum"(%2) {axes = array<i64: 0>} : (tensor<1xf64>) -> tensor<f64>
  return %3, %x, %x, %s : tensor<f64>, tensor<2xf64>, tensor<2xf64>, tensor<f64>
}
func.func private @swapped(%x: tensor<2xf64>, %y: tensor<2xf64>, %z: tensor<2xf64>)
    -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  return %y, %x, %x : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}

// One value returned twice: its cotangents add up.

// TWICE:      f64[] 2.0
// TWICE-NEXT: f64[] 2.0
// TWICE-NEXT: f64[] 110.0
func.func @twice(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  return %x, %x : tensor<f64>, tensor<f64>
}
func.func private @twice_declared(tensor<f64>, tensor<f64>, tensor<f64>)
    -> (tensor<f64>, tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @twice, wrt = array<i64: 0>, targets = array<i64: 0, 1>}}
func.func @twice_vjp(%x: tensor<f64>, %g: tensor<f64>, %h: tensor<f64>)
    -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %0:3 = func.call @twice_declared(%x, %g, %h)
    : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
  return %0#0, %0#1, %0#2 : tensor<f64>, tensor<f64>, tensor<f64>
}
