// RUN: anvl-opt %s --anvl-control-flow | filecheck %s
// RUN: anvl-opt %s --anvl-gradient="function=main wrt=0,1" | filecheck %s --check-prefix=GRAD
// RUN: anvl-opt %s --anvl-vectorize="function=main batched=1 size=3" \
// RUN:   | filecheck %s --check-prefix=VMAP
// RUN: anvl-opt %s --anvl-gradient="function=main wrt=0,1" --anvl-control-flow \
// RUN:   | %run --function=main_adjoint --args='[1.0, [2.0, 3.0]]' \
// RUN:   | %numbers %s

// A product of a carry and each element, stacked.

// CHECK-LABEL: func.func private @loop(
// CHECK:         stablehlo.while
// CHECK:           "anvl.compare"
// CHECK:         do {
// CHECK:           "anvl.dynamic_slice"
// CHECK:           call @step(
// CHECK:           "anvl.dynamic_update_slice"

// The forward scan keeps the carry of each step; the other goes back over these.
// GRAD-LABEL: func.func @main_adjoint(
// GRAD:         %[[F:.*]]:3 = call @loop_forward(
// GRAD:         call @loop_backward(
// GRAD-LABEL: func.func private @step_forward(
// GRAD-SAME:    %[[C:[a-zA-Z0-9_]+]]: tensor<f64>, %[[X:[a-zA-Z0-9_]+]]: tensor<f64>)
// GRAD:         %[[Y:.*]] = "anvl.mul"(%[[C]], %[[X]])
// GRAD:         return %[[Y]], %[[Y]], %[[C]]
// GRAD:       func.func private @loop_backward(
// GRAD-SAME:    length = 2 : i64, reverse = true, xs = 2 : i64

// VMAP:       func.func private @loop_batched(tensor<3xf64>, tensor<2x3xf64>)

// NUMBERS:      f64[] 6.0
// NUMBERS-NEXT: f64[2] 2.0 6.0
// NUMBERS-NEXT: f64[] 6.0
// NUMBERS-NEXT: f64[2] 3.0 2.0
func.func private @loop(tensor<f64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
    attributes {anvl.scan = {
      body = @step, carry = 1 : i64, xs = 1 : i64, length = 2 : i64, reverse = false
    }}

func.func private @step(%c: tensor<f64>, %x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0 = "anvl.mul"(%c, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0, %0 : tensor<f64>, tensor<f64>
}

func.func @main(%c: tensor<f64>, %x: tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>) {
  %0:2 = call @loop(%c, %x) : (tensor<f64>, tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>)
  return %0#0, %0#1 : tensor<f64>, tensor<2xf64>
}
