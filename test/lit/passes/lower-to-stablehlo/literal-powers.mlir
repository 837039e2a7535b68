// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA
// RUN: anvl-opt %s --anvl-lower-to-stablehlo \
// RUN:   | %run --function=root --args='[[4.0, 0.25, -1.0, -Infinity]]' | %numbers %s --check-prefix=ROOT

// XLA:CPU calls the C library for each power, so one with a small multiple of 0.5 is written out
// (Note [Powers with a literal exponent]); with a half, finite numbers below 0 have none.

// CHECK-LABEL: func.func @root(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<4xf32>
// CHECK-DAG:     %[[ONE:.*]] = stablehlo.constant dense<1.0{{.*}}>
// CHECK-DAG:     %[[ZERO:.*]] = stablehlo.constant dense<0.0{{.*}}>
// CHECK-DAG:     %[[LEAST:.*]] = stablehlo.constant dense<0xFF800000>
// CHECK-DAG:     %[[NAN:.*]] = stablehlo.constant dense<0x7FC00000>
// CHECK:         %[[A:.*]] = stablehlo.abs %[[X]]
// CHECK:         %[[ROOT:.*]] = stablehlo.sqrt %[[A]]
// CHECK:         %[[INVERSE:.*]] = stablehlo.divide %[[ONE]], %[[A]]
// CHECK:         %[[I:.*]] = stablehlo.reduce_precision %[[INVERSE]], format = e11m112
// CHECK:         %[[R:.*]] = stablehlo.reduce_precision %[[ROOT]], format = e11m112
// CHECK:         stablehlo.divide %[[I]], %[[R]]
// CHECK:         stablehlo.compare LT, %[[X]], %[[ZERO]]
// CHECK:         stablehlo.compare GT, %[[X]], %[[LEAST]]
// CHECK:         stablehlo.select %{{.*}}, %[[NAN]]
// CUDA-LABEL:  func.func @root(
// CUDA:          stablehlo.power
// ROOT: f32[4] 0.125 8.0 nan 0.0
func.func @root(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = "anvl.constant"() {value = dense<-1.5> : tensor<4xf32>} : () -> tensor<4xf32>
  %y = "anvl.pow"(%x, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// The exponent is computed from literals, as that of a derivative.

// CHECK-LABEL: func.func @fourth(
// CHECK-NOT:     stablehlo.power
// CHECK:         %[[SQUARE:.*]] = stablehlo.multiply %[[X:.*]], %[[X]]
// CHECK:         stablehlo.multiply %[[SQUARE]], %[[SQUARE]]
func.func @fourth(%x: tensor<4xf64>, %p: tensor<4xi1>) -> tensor<4xf64> {
  %five = stablehlo.constant dense<5.0> : tensor<4xf64>
  %less = stablehlo.constant dense<-1.0> : tensor<4xf64>
  %four = stablehlo.add %five, %less : tensor<4xf64>
  %c = stablehlo.select %p, %four, %four : tensor<4xi1>, tensor<4xf64>
  %y = stablehlo.power %x, %c : tensor<4xf64>
  return %y : tensor<4xf64>
}

// Others stay: which XLA writes out, which are no literal, or not small.

// CHECK-LABEL: func.func @others(
// CHECK:         stablehlo.power
// CHECK:         stablehlo.power
// CHECK:         stablehlo.power
func.func @others(%x: tensor<f32>, %a: tensor<f32>)
    -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %large = stablehlo.constant dense<4.5> : tensor<f32>
  %y = stablehlo.power %x, %half : tensor<f32>
  %z = stablehlo.power %x, %large : tensor<f32>
  %w = stablehlo.power %x, %a : tensor<f32>
  return %y, %z, %w : tensor<f32>, tensor<f32>, tensor<f32>
}
