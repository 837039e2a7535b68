// RUN: anvl-opt %s --anvl-control-flow | filecheck %s
// RUN: anvl-opt %s --anvl-forward="function=main" | filecheck %s --check-prefix=JVP
// RUN: anvl-opt %s --anvl-vectorize="function=main size=3" | filecheck %s --check-prefix=VMAP
// RUN: anvl-opt %s --anvl-gradient="function=main" | filecheck %s --check-prefix=GRAD
// RUN: anvl-opt %s --anvl-control-flow \
// RUN:   | %run --function=main --args='[3.0]' | %numbers %s --check-prefix=VALUE
// RUN: anvl-opt %s --anvl-gradient="function=main" --anvl-control-flow \
// RUN:   | %run --function=main_adjoint --args='[3.0]' | %numbers %s
// RUN: anvl-opt %s --anvl-vectorize="function=main size=3" --anvl-control-flow \
// RUN:   | %run --function=main_batched --args='[[3.0, 60.0, 200.0]]' \
// RUN:   | %numbers %s --check-prefix=LANES

// Doubles until 100, by an unknown number of steps.

// CHECK-LABEL: func.func private @loop(
// CHECK-SAME:    %[[X:\w+]]: tensor<f64>) -> tensor<f64> {
// CHECK:         stablehlo.while(%[[C:\w+]] = %[[X]])
// CHECK:           call @below(%[[C]])
// CHECK:         do {
// CHECK:           call @double(%[[C]])

// JVP-LABEL: func.func @main_tangent(
// JVP:         %[[Y:.*]]:2 = call @loop_tangent(%{{.*}}, %{{.*}}) : (tensor<f64>, tensor<f64>)
// JVP:         return %[[Y]]#0, %[[Y]]#1
// JVP:       func.func private @loop_tangent(
// JVP-SAME:    anvl.while = {body = @double_tangent, carry = 2 : i64, cond = @below_tangent}

// A member that is done keeps its value.
// VMAP-LABEL: func.func private @below_batched(%{{.*}}: tensor<3xf64>) -> tensor<i1>
// VMAP:         "anvl.any"
// VMAP-LABEL: func.func private @double_batched(
// VMAP:         "anvl.select"

// GRAD-LABEL: func.func @main_adjoint(
// GRAD:         call @loop_forward(
// GRAD:         call @loop_backward(

// VALUE:        f64[] 192.0
// NUMBERS:      f64[] 192.0
// NUMBERS-NEXT: f64[] 64.0
// LANES:        f64[3] 192.0 120.0 200.0
func.func private @loop(tensor<f64>) -> tensor<f64>
    attributes {anvl.while = {cond = @below, body = @double, carry = 1 : i64}}

func.func private @below(%x: tensor<f64>) -> tensor<i1> {
  %0 = "anvl.constant"() {value = dense<100.0> : tensor<f64>} : () -> tensor<f64>
  %1 = "anvl.compare"(%x, %0) {comparison_direction = #stablehlo<comparison_direction LT>}
    : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %1 : tensor<i1>
}

func.func private @double(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.add"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @loop(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
