// RUN: anvl-opt %s --anvl-remat | filecheck %s
// RUN: anvl-opt %s --anvl-remat --anvl-gradient="function=main" \
// RUN:   --anvl-vectorize="function=main_adjoint size=2" \
// RUN:   | %run --function=main_adjoint_batched --args='[[0.0, 0.5]]' \
// RUN:   | %numbers %s
// RUN: not anvl-opt %s --anvl-gradient="function=main" 2>&1 | filecheck %s --check-prefix=FIRST

// A checkpoint with a policy in one with a budget: what each keeps is its own; then the batch of
// its gradient.

// CHECK-LABEL: func.func @main(
// CHECK:         call @outer(
// CHECK-LABEL: func.func private @outer(
// CHECK-NOT:     budget
// CHECK:       func.func private @inner(
// CHECK-NOT:     policy

// FIRST: anvl-gradient: @inner: anvl.checkpoint: its residuals are not chosen yet; run anvl-remat first

// sin(exp(x) x), and cos(exp(x) x) exp(x) (1 + x)
// NUMBERS:      f64[2] 0.0 0.734114
// NUMBERS-NEXT: f64[2] 1.0 1.67929
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @outer(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @outer(%x: tensor<f64>) -> tensor<f64> attributes {anvl.checkpoint = {budget = 0 : i64}} {
  %0 = call @inner(%x) : (tensor<f64>) -> tensor<f64>
  %1 = "anvl.sin"(%0) : (tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
func.func private @inner(%x: tensor<f64>) -> tensor<f64> attributes {anvl.checkpoint = {policy = ["exp"]}} {
  %0 = "anvl.exp"(%x) : (tensor<f64>) -> tensor<f64>
  %1 = "anvl.mul"(%0, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
