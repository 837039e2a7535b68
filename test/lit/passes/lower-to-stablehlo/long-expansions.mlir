// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo --anvl-inline \
// RUN:   | filecheck %s --check-prefix=INLINED
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | %run --args='[0.5, [0.5, 1.0]]' \
// RUN:   | %numbers %s

// A long expansion is a function, one for each kind of operand, with a name that is free.  In the
// body of another op it stays in place.

// CHECK-LABEL: func.func private @erf_1(%{{.*}}: tensor<f64>) -> tensor<f64>
// CHECK-NOT:     anvl.
// CHECK-NOT:     chlo.
// CHECK-LABEL: func.func private @erf_2(%{{.*}}: tensor<2xf64>) -> tensor<2xf64>
// CHECK-LABEL: func.func private @erf(
// CHECK-LABEL: func.func @main(
// CHECK:         %[[A:.*]] = call @erf_1(%[[X:.*]]) : (tensor<f64>) -> tensor<f64>
// CHECK:         %[[B:.*]] = call @erf_1(%[[A]]) : (tensor<f64>) -> tensor<f64>
// CHECK:         call @erf_2(
// CHECK:         call @erf(
// CHECK:         stablehlo.map
// CHECK-NOT:     call
// CHECK:         stablehlo.return
// CHECK:         return

// INLINED-NOT: call
// INLINED:     func.func @main(
// INLINED-NOT: call
// INLINED:     return

// NUMBERS:      f64[] 0.538329
// NUMBERS-NEXT: f64[2] 0.5205 0.842701
// NUMBERS-NEXT: f64[] 0.25
// NUMBERS-NEXT: f64[2] 0.5205 0.842701

// The name is taken, and this is no error function.
func.func private @erf(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

func.func @main(%x: tensor<f64>, %v: tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>, tensor<f64>, tensor<2xf64>) {
  %0 = "anvl.erf"(%x) : (tensor<f64>) -> tensor<f64>
  %1 = "anvl.erf"(%0) : (tensor<f64>) -> tensor<f64>
  %2 = "anvl.erf"(%v) : (tensor<2xf64>) -> tensor<2xf64>
  %3 = call @erf(%x) : (tensor<f64>) -> tensor<f64>
  %4 = "stablehlo.map"(%v) ({
  ^bb0(%a: tensor<f64>):
    %5 = "anvl.erf"(%a) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %5 : tensor<f64>
  }) {dimensions = array<i64: 0>} : (tensor<2xf64>) -> tensor<2xf64>
  return %1, %2, %3, %4 : tensor<f64>, tensor<2xf64>, tensor<f64>, tensor<2xf64>
}
