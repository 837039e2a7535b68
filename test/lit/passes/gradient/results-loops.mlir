// RUN: anvl-opt %s --verify-each --anvl-gradient="function=main" | filecheck %s
// RUN: anvl-opt %s --verify-each --anvl-gradient="function=main split" -o %t
// RUN: filecheck %s --check-prefix=SPLIT --input-file=%t
// RUN: anvl-opt %t --anvl-control-flow | %run --function=main_fwd --args='[0.5, [1.0, 2.0]]' \
// RUN:   | %numbers %s

// The loop that keeps what its adjoint needs takes the place of the loop: one is left, unless the
// other has an effect.

// CHECK-LABEL: func.func @main_adjoint(
// CHECK-NEXT:    %[[ALL:.*]]:3 = call @scan_forward(%x, %a)
// CHECK-NOT:     call @scan(
// CHECK:         return %[[ALL]]#0, %{{.*}}#0, %{{.*}}#1

// SPLIT-LABEL: func.func @main_fwd(
// SPLIT-NEXT:    call @scan_forward(
// SPLIT-NEXT:    return
// SPLIT-LABEL: func.func @main_bwd(
// SPLIT-NEXT:    call @scan_backward(
// SPLIT-NEXT:    return

// NUMBERS:      f64[] 0.92253
// NUMBERS-NEXT: f64[2] 1.0 2.0
// NUMBERS-NEXT: f64[2] 0.479426 0.46127
// NUMBERS-NEXT: f64[2] 0.877583 0.88726
func.func @main(%x: tensor<f64>, %a: tensor<2xf64>) -> tensor<f64> {
  %y = call @scan(%x, %a) : (tensor<f64>, tensor<2xf64>) -> tensor<f64>
  return %y : tensor<f64>
}
func.func private @step(%c: tensor<f64>, %a: tensor<f64>) -> tensor<f64> {
  %s = "anvl.sin"(%c) : (tensor<f64>) -> tensor<f64>
  %m = "anvl.mul"(%s, %a) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %m : tensor<f64>
}
func.func private @scan(tensor<f64>, tensor<2xf64>) -> tensor<f64>
    attributes {anvl.scan = {body = @step, carry = 1 : i64, length = 2 : i64, reverse = false, xs = 1 : i64}}
