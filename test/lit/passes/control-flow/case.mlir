// RUN: anvl-opt %s > %t
// RUN: anvl-opt %s --verify-each --anvl-control-flow | diff %t -
// RUN: anvl-opt %s --verify-each --anvl-gradient="function=main" \
// RUN:   | filecheck %s --check-prefix=GRAD
// RUN: anvl-opt %s --verify-each --anvl-forward="function=main" | filecheck %s --check-prefix=JVP
// RUN: anvl-opt %s --verify-each --anvl-vectorize="function=main batched=1,2 size=2" \
// RUN:   | filecheck %s --check-prefix=VMAP
// RUN: anvl-opt %s --verify-each --anvl-vectorize="function=main batched=0 size=2" \
// RUN:   | filecheck %s --check-prefix=SELECT
// RUN: anvl-opt %s --anvl-gradient="function=main" \
// RUN:   | %run --function=main_adjoint --args='[1, 3.0, 2.0]' | %numbers %s

// A choice between regions; each transformation is a choice between those of the regions.

// GRAD-LABEL: func.func @main_adjoint(
// GRAD-SAME:    %[[I:[a-zA-Z0-9_]+]]: tensor<i32>, %[[X:[a-zA-Z0-9_]+]]: tensor<f64>, %[[W:[a-zA-Z0-9_]+]]: tensor<f64>)
// GRAD:         %[[Y:.*]] = "stablehlo.case"(%[[I]]) ({
// GRAD:         %[[G:.*]]:2 = "stablehlo.case"(%[[I]]) ({
// GRAD:           "anvl.cos"(%[[X]])
// GRAD:         }, {
// GRAD-NOT:       "anvl.cos"
// GRAD:         return %[[Y]], %[[G]]#0, %[[G]]#1

// The value and its tangent are one choice.
// JVP-LABEL: func.func @main_tangent(
// JVP:         %[[R:.*]]:2 = "stablehlo.case"(
// JVP-NOT:     stablehlo.case
// JVP:         return %[[R]]#0, %[[R]]#1

// VMAP-LABEL: func.func @main_batched(
// VMAP:         "stablehlo.case"({{.*}}) ({
// VMAP:           "anvl.sin"({{.*}}) : (tensor<2xf64>) -> tensor<2xf64>

// Where members choose differently, each takes its own of all.
// SELECT-LABEL: func.func @main_batched(
// SELECT-NOT:     stablehlo.case
// SELECT:         "anvl.sin"
// SELECT:         "anvl.select"

// NUMBERS:      f64[] 18.0
// NUMBERS-NEXT: f64[] 12.0
// NUMBERS-NEXT: f64[] 9.0
func.func @main(%i: tensor<i32>, %x: tensor<f64>, %w: tensor<f64>) -> tensor<f64> {
  %0 = "stablehlo.case"(%i) ({
    %1 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }, {
    %1 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %2 = "anvl.mul"(%1, %w) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %2 : tensor<f64>
  }) : (tensor<i32>) -> tensor<f64>
  return %0 : tensor<f64>
}
