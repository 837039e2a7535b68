// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=imag_vjp --args='[["1+2j", "3-4j"], [1.0, 10.0]]' \
// RUN:   | %numbers %s

// Re(g' dx) = g Im(dx) asks for g' = -i g, as cotangents pair without conjugation.

// CHECK-LABEL: func.func private @imag_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xcomplex<f64>>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK:         %[[Y:.*]] = "anvl.imag"(%[[X]])
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[NEG:.*]] = "anvl.neg"(%[[G]])
// CHECK:         %[[DX:.*]] = "anvl.complex"(%[[ZERO]], %[[NEG]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @imag(
// HLO:         stablehlo.imag %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[2] 2.0 -4.0
// NUMBERS-NEXT: c128[2] 0.0-1.0j 0.0-10.0j
func.func @imag(%x: tensor<2xcomplex<f64>>) -> tensor<2xf64> {
  %y = "anvl.imag"(%x) : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func private @imag_vjp(tensor<2xcomplex<f64>>, tensor<2xf64>)
    -> (tensor<2xf64>, tensor<2xcomplex<f64>>)
    attributes {
      anvl.vjp = {callee = @imag, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
