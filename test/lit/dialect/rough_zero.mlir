// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=rough" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-inline | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=rough" \
// RUN:   | %run --function=rough_adjoint --args='[0.0]' | %numbers %s

// The number 0, and no derivative where the operand is 0: a term of derivatives at points where the
// next one does not exist, which costs nothing in programs without the next one.

// CHECK-LABEL: func.func @rough_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.rough_zero"(%[[X]])
// CHECK:         %[[IS_0:.*]] = "anvl.compare"(%[[X]], %
// CHECK:         %[[DX:.*]] = "anvl.select"(%[[IS_0]], %
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @rough(
// HLO-NEXT:    %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00>
// HLO-NEXT:    return %[[ZERO]]

// NUMBERS: f64[] 0.0
// NUMBERS-NEXT: f64[] nan
func.func @rough(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.rough_zero"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
