// RUN: anvl-opt %s --anvl-lift | filecheck %s
// RUN: not anvl-opt %s --anvl-lift --anvl-gradient="function=ordered wrt=0" 2>&1 \
// RUN:   | filecheck %s --check-prefix=ERROR

// What has no counterpart stays: a comparison in total order of floats of 8 bits, sums from another
// number than 0, an unknown routine, a product of a dynamic shape.

// CHECK-LABEL: func.func @ordered(
// CHECK:         stablehlo.compare LT, %{{.*}}, %{{.*}}, TOTALORDER
// CHECK:         "anvl.select"
func.func @ordered(
    %x: tensor<3xf64>, %y: tensor<3xf64>, %a: tensor<3xf8E5M2>, %b: tensor<3xf8E5M2>
) -> tensor<f64> {
  %0 = stablehlo.compare LT, %a, %b, TOTALORDER
    : (tensor<3xf8E5M2>, tensor<3xf8E5M2>) -> tensor<3xi1>
  %1 = stablehlo.select %0, %x, %y : tensor<3xi1>, tensor<3xf64>
  %2 = stablehlo.cbrt %1 : tensor<3xf64>
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %3 = stablehlo.reduce(%2 init: %one) applies stablehlo.add across dimensions = [0]
    : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  %4 = stablehlo.custom_call @my.thing(%3) {mhlo.note} : (tensor<f64>) -> tensor<f64>
  return %4 : tensor<f64>
}

// CHECK:         stablehlo.reduce(
// CHECK:         custom_call

// CHECK-LABEL: func.func @dynamic(
// CHECK:         stablehlo.multiply
func.func @dynamic(%x: tensor<?xf64>) -> tensor<?xf64> {
  %0 = stablehlo.multiply %x, %x : tensor<?xf64>
  return %0 : tensor<?xf64>
}

// And what says more than the op of anvl can.

// CHECK-LABEL: func.func @more(
// CHECK:         stablehlo.constant {my.note} dense<0.000000e+00>
// CHECK:         stablehlo.constant {my.note} dense<(0.000000e+00,
// CHECK:         stablehlo.compare LT, %{{.*}}, %{{.*}}, FLOAT {my.note}
func.func @more(%x: tensor<f32>) -> (tensor<i1>, tensor<complex<f32>>) {
  %0 = stablehlo.constant {my.note} dense<0.0> : tensor<f32>
  %1 = stablehlo.constant {my.note} dense<(0.0, 1.0)> : tensor<complex<f32>>
  %2 = stablehlo.compare LT, %x, %0, FLOAT {my.note}
    : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %2, %1 : tensor<i1>, tensor<complex<f32>>
}

// ERROR: stablehlo.custom_call
