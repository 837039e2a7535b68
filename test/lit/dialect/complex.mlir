// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=complex_vjp --args='[[1.0, 3.0], [2.0, -4.0], ["1+2j", "0+1j"]]' \
// RUN:   | %numbers %s

// The real part of the cotangent goes to x, minus its imaginary part to y.

// CHECK-LABEL: func.func private @complex_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2xcomplex<f64>>
// CHECK:         %[[Z:.*]] = "anvl.complex"(%[[X]], %[[Y]])
// CHECK:         %[[DX:.*]] = "anvl.real"(%[[G]])
// CHECK:         %[[IMAG:.*]] = "anvl.imag"(%[[G]])
// CHECK:         %[[DY:.*]] = "anvl.neg"(%[[IMAG]])
// CHECK:         return %[[Z]], %[[DX]], %[[DY]]

// HLO-LABEL: func.func @complex(
// HLO:         stablehlo.complex %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: c128[2] 1.0+2.0j 3.0-4.0j
// NUMBERS-NEXT: f64[2] 1.0 0.0
// NUMBERS-NEXT: f64[2] -2.0 -1.0
func.func @complex(%x: tensor<2xf64>, %y: tensor<2xf64>) -> tensor<2xcomplex<f64>> {
  %z = "anvl.complex"(%x, %y) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xcomplex<f64>>
  return %z : tensor<2xcomplex<f64>>
}

func.func private @complex_vjp(tensor<2xf64>, tensor<2xf64>, tensor<2xcomplex<f64>>)
    -> (tensor<2xcomplex<f64>>, tensor<2xf64>, tensor<2xf64>)
    attributes {
      anvl.vjp = {callee = @complex, wrt = array<i64: 0, 1>, targets = array<i64: 0>}
    }
