// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=real_vjp --args='[["1+2j", "3-4j"], [1.0, 10.0]]' \
// RUN:   | %numbers %s

// The real part of x + dx moves by the real part of dx: the cotangent is real.

// CHECK-LABEL: func.func private @real_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xcomplex<f64>>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK:         %[[Y:.*]] = "anvl.real"(%[[X]])
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[DX:.*]] = "anvl.complex"(%[[G]], %[[ZERO]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @real(
// HLO:         stablehlo.real %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[2] 1.0 3.0
// NUMBERS-NEXT: c128[2] 1.0+0.0j 10.0+0.0j
func.func @real(%x: tensor<2xcomplex<f64>>) -> tensor<2xf64> {
  %y = "anvl.real"(%x) : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func private @real_vjp(tensor<2xcomplex<f64>>, tensor<2xf64>)
    -> (tensor<2xf64>, tensor<2xcomplex<f64>>)
    attributes {
      anvl.vjp = {callee = @real, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
