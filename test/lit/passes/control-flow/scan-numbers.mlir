// RUN: anvl-opt %s --verify-each --anvl-gradient="function=main" -o %t.adjoint
// RUN: filecheck %s --input-file=%t.adjoint
// RUN: anvl-opt %t.adjoint --anvl-gradient="function=main_adjoint wrt=0 target=2" \
// RUN:   --anvl-control-flow \
// RUN:   | %run --function=main_adjoint_adjoint --args='[1.0, [2.0, 3.0], 1.0]' \
// RUN:   | %numbers %s --check-prefix=FIRST,SECOND
// RUN: anvl-opt %t.adjoint --anvl-forward="function=main_adjoint wrt=0" --anvl-control-flow \
// RUN:   | %run --function=main_adjoint_tangent --args='[1.0, [2.0, 3.0], 1.0, 1.0]' \
// RUN:   | %numbers %s --check-prefix=FIRST,FORWARD
// RUN: anvl-opt %t.adjoint --anvl-vectorize="function=main_adjoint batched=1 size=2" \
// RUN:   --anvl-control-flow -o %t.batched
// RUN: %run %t.batched --function=main_adjoint_batched --args='[1.0, [[2, 3], [0, 1]], 1.0]' \
// RUN:   | %numbers %s --check-prefix=BATCH

// c to k c^2 + x, from the last x to the first, with c x stacked: k (k c^2 + x1)^2 + x0.

// The way back begins at the first, which was the last.
// CHECK:       func.func private @loop_forward({{.*}}length = 2 : i64, reverse = true
// CHECK:       func.func private @loop_backward({{.*}}length = 2 : i64, reverse = false

// FIRST:        f64[] 18.0
// FIRST-NEXT:   f64[2] 8.0 3.0
// FIRST-NEXT:   f64[] 16.0
// FIRST-NEXT:   f64[2] 1.0 8.0
// FIRST-NEXT:   f64[] 24.0

// The slope of the 16, along c.
// SECOND-NEXT:  f64[] 24.0

// The tangents of all, along c.
// FORWARD-NEXT: f64[] 16.0
// FORWARD-NEXT: f64[2] 4.0 3.0
// FORWARD-NEXT: f64[] 24.0
// FORWARD-NEXT: f64[2] 0.0 4.0
// FORWARD-NEXT: f64[] 36.0

// BATCH:        f64[2] 18.0 4.0
// BATCH-NEXT:   f64[2,2] 8.0 3.0 0.0 1.0
// BATCH-NEXT:   f64[2] 16.0 8.0
// BATCH-NEXT:   f64[2,2] 1.0 8.0 1.0 4.0
// BATCH-NEXT:   f64[2] 24.0 8.0
func.func private @loop(tensor<f64>, tensor<2xf64>, tensor<f64>) -> (tensor<f64>, tensor<2xf64>)
    attributes {anvl.scan = {
      body = @step, carry = 1 : i64, xs = 1 : i64, length = 2 : i64, reverse = true
    }}
func.func private @step(%c: tensor<f64>, %x: tensor<f64>, %k: tensor<f64>)
    -> (tensor<f64>, tensor<f64>) {
  %0 = "anvl.mul"(%c, %c) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = "anvl.mul"(%0, %k) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %2 = "anvl.add"(%1, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %3 = "anvl.mul"(%c, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %2, %3 : tensor<f64>, tensor<f64>
}
func.func @main(%c: tensor<f64>, %x: tensor<2xf64>, %k: tensor<f64>)
    -> (tensor<f64>, tensor<2xf64>) {
  %0:2 = call @loop(%c, %x, %k)
    : (tensor<f64>, tensor<2xf64>, tensor<f64>) -> (tensor<f64>, tensor<2xf64>)
  return %0#0, %0#1 : tensor<f64>, tensor<2xf64>
}
