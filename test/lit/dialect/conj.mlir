// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --anvl-gradient --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=conj_vjp --args='[["1+2j", "3-4j"], ["1+1j", "0+1j"]]' \
// RUN:   | %numbers %s

// Linear over the reals only: the cotangent is conjugated.

// CHECK-LABEL: func.func private @conj_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xcomplex<f64>>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2xcomplex<f64>>
// CHECK:         %[[Y:.*]] = "anvl.conj"(%[[X]])
// CHECK:         %[[DX:.*]] = "anvl.conj"(%[[G]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @conj(
// HLO-NOT:     {{anvl|chlo}}.
// HLO:         return

// NUMBERS: c128[2] 1.0-2.0j 3.0+4.0j
// NUMBERS-NEXT: c128[2] 1.0-1.0j 0.0-1.0j
func.func @conj(%x: tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>> {
  %y = "anvl.conj"(%x) : (tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>>
  return %y : tensor<2xcomplex<f64>>
}

func.func private @conj_vjp(tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>)
    -> (tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>)
    attributes {
      anvl.vjp = {callee = @conj, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
