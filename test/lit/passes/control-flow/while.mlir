// RUN: anvl-opt %s > %t
// RUN: anvl-opt %s --verify-each --anvl-control-flow | diff %t -
// RUN: anvl-opt %s --verify-each --anvl-forward="function=main" | filecheck %s --check-prefix=JVP
// RUN: anvl-opt %s --verify-each --anvl-vectorize="function=main size=3" \
// RUN:   | filecheck %s --check-prefix=VMAP
// RUN: anvl-opt %s --verify-each --anvl-gradient="function=main" \
// RUN:   | filecheck %s --check-prefix=GRAD
// RUN: %run %s --function=main --args='[3.0]' | %numbers %s --check-prefix=VALUE
// RUN: anvl-opt %s --anvl-gradient="function=main" \
// RUN:   | %run --function=main_adjoint --args='[3.0]' | %numbers %s
// RUN: anvl-opt %s --anvl-vectorize="function=main size=3" \
// RUN:   | %run --function=main_batched --args='[[3.0, 60.0, 200.0]]' \
// RUN:   | %numbers %s --check-prefix=LANES

// Doubles until 100, by an unknown number of steps.

// The value and its tangent are carries of one loop.
// JVP-LABEL: func.func @main_tangent(
// JVP-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>, %[[T:[a-zA-Z0-9_]+]]: tensor<f64>)
// JVP:         %[[Y:.*]]:2 = stablehlo.while(%{{.*}} = %[[X]], %{{.*}} = %[[T]])
// JVP-NOT:     stablehlo.while
// JVP:         return %[[Y]]#0, %[[Y]]#1

// A member that is done keeps its value.
// VMAP-LABEL: func.func @main_batched(
// VMAP:         stablehlo.while(
// VMAP:           "anvl.any"
// VMAP:         do {
// VMAP:           "anvl.select"

// GRAD-LABEL: func.func @main_adjoint(
// GRAD:         %[[F:.*]]:3 = stablehlo.while(
// GRAD:         stablehlo.while(
// GRAD:         return %[[F]]#0,

// VALUE:        f64[] 192.0
// NUMBERS:      f64[] 192.0
// NUMBERS-NEXT: f64[] 64.0
// LANES:        f64[3] 192.0 120.0 200.0
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.while(%c = %x) : tensor<f64>
  cond {
    %most = "anvl.constant"() {value = dense<100.0> : tensor<f64>} : () -> tensor<f64>
    %more = "anvl.compare"(%c, %most) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = "anvl.add"(%c, %c) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %next : tensor<f64>
  }
  return %0 : tensor<f64>
}
