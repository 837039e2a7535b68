// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=exp2" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA
// RUN: anvl-opt %s --anvl-gradient="function=exp2" | %run --function=exp2_adjoint --args='[3.0]' \
// RUN:   | %numbers %s

// The derivative is 2^x log(2). On the CPU the power of an f32 is a sum in f64, scaled by the bits of
// an exponent; that of an f64, and on other platforms, is XLA's.

// CHECK-LABEL: func.func @exp2_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Y:.*]] = "anvl.exp2"(%[[X]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[LOG:.*]] = "anvl.constant"() {value = dense<0.69314718055994529>
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[Y]], %[[LOG]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[MUL]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @exp2(
// HLO:         stablehlo.power %{{.*}} : tensor<f64>

// NUMBERS: f64[] 8.0
// NUMBERS-NEXT: f64[] 5.54517744
func.func @exp2(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.exp2"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}

// HLO-LABEL: func.func @narrow(
// HLO:         call @exp2_1(
// CUDA-LABEL:  func.func @narrow(
// CUDA:          stablehlo.power %{{.*}} : tensor<2xf32>
func.func @narrow(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = "anvl.exp2"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
