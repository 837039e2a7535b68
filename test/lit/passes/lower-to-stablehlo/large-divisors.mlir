// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA
// RUN: anvl-opt %s --anvl-lower-to-stablehlo \
// RUN:   | %run --function=scaled --args='[[3e38, 1.5e38], 3e38]' | %numbers %s --check-prefix=SCALED

// Of one divisor for many elements XLA takes the reciprocal, which is 0 for large ones: so they are
// scaled first, and the dividend with them (Note [Quotients that XLA makes products]).

// CHECK-LABEL: func.func @scaled(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf32>
// CHECK:         %[[MOST:.*]] = stablehlo.constant dense<1.2676506E+30>
// CHECK:         %[[Y:.*]] = stablehlo.broadcast_in_dim
// CHECK:         %[[SIZE:.*]] = stablehlo.abs %[[Y]]
// CHECK:         %[[IS_LARGE:.*]] = stablehlo.compare GT, %[[SIZE]], %[[MOST]]
// CHECK:         %[[F:.*]] = stablehlo.select %[[IS_LARGE]]
// CHECK:         %[[SCALED_Y:.*]] = stablehlo.multiply %[[Y]], %[[F]]
// CHECK:         %[[SCALED_X:.*]] = stablehlo.multiply %[[X]], %[[F]]
// CHECK:         %[[SUNK:.*]] = stablehlo.reduce_precision %[[SCALED_X]], format = e11m112
// CHECK:         stablehlo.divide %[[SUNK]], %[[SCALED_Y]]
// CUDA-LABEL:  func.func @scaled(
// CUDA-NOT:      stablehlo.reduce_precision
// CUDA:          stablehlo.divide
// SCALED: f32[2] 1.0 0.5
func.func @scaled(%x: tensor<2xf32>, %s: tensor<f32>) -> tensor<2xf32> {
  %y = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %z = "anvl.div"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}

// A literal that has a reciprocal costs nothing.

// CHECK-LABEL: func.func @thirds(
// CHECK-NEXT:    stablehlo.constant
// CHECK-NEXT:    stablehlo.divide
// CHECK-NEXT:    return
func.func @thirds(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = stablehlo.constant dense<3.0> : tensor<2xf32>
  %z = "anvl.div"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}

// Half precision has no reciprocals of small numbers either: it is divided in single precision.

// CHECK-LABEL: func.func @halves(
// CHECK:         %[[X:.*]] = stablehlo.convert %{{.*}} : (tensor<2xf16>) -> tensor<2xf32>
// CHECK:         %[[Y:.*]] = stablehlo.convert %{{.*}} : (tensor<2xf16>) -> tensor<2xf32>
// CHECK:         %[[Z:.*]] = stablehlo.divide %[[X]], %[[Y]] : tensor<2xf32>
// CHECK:         stablehlo.convert %[[Z]] : (tensor<2xf32>) -> tensor<2xf16>
func.func @halves(%x: tensor<2xf16>, %s: tensor<f16>) -> tensor<2xf16> {
  %y = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f16>) -> tensor<2xf16>
  %z = "anvl.div"(%x, %y) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %z : tensor<2xf16>
}
