// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=log1p" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=log1p" \
// RUN:   | %run --function=log1p_adjoint --args='[1.0]' | %numbers %s

// The derivative of log(1 + x) is 1/(1 + x): a half at 1.

// CHECK-LABEL: func.func @log1p_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.log1p"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[ADD:.*]] = "anvl.add"(%[[X]], %[[ONE]])
// CHECK:         %[[DX:.*]] = "anvl.div"(%[[ONE]], %[[ADD]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @log1p(
// HLO:         stablehlo.log_plus_one %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 0.693147
// NUMBERS-NEXT: f64[] 0.5
func.func @log1p(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.log1p"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
