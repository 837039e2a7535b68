// RUN: anvl-opt %s --anvl-lift | filecheck %s
// RUN: %run %s --args="[[1.0, 2.0]]" | %numbers %s
// RUN: not %run %s --function=elided --args="[[1.0, 2.0]]" 2>&1 \
// RUN:   | filecheck %s --check-prefix=ELIDED

// As torch-mlir writes a linear layer: scalars are constants of `arith`, and the data of parameters
// stand in resources, which XLA cannot read; no data stand here for `elided`.

// CHECK-LABEL: func.func @main(
// CHECK:         "anvl.constant"() {value = dense<[3.000000e+00, -5.000000e-01]>
// CHECK:         "anvl.constant"() {value = dense<[true, false]>
// CHECK:         "anvl.constant"() {value = dense<2> : tensor<1xi64>}
// CHECK-NOT:     arith

// NUMBERS: f32[2] 6.0 2.0
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %weights = stablehlo.constant dense_resource<torch_tensor_2_torch.float32> : tensor<2xf32>
  %mask = arith.constant dense_resource<torch_tensor_2_torch.bool> : tensor<2xi1>
  %two = arith.constant dense<2> : tensor<1xi64>
  %0 = stablehlo.convert %two : (tensor<1xi64>) -> tensor<1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %3 = stablehlo.multiply %x, %weights : tensor<2xf32>
  %4 = stablehlo.select %mask, %3, %x : tensor<2xi1>, tensor<2xf32>
  %5 = stablehlo.multiply %4, %2 : tensor<2xf32>
  %6 = stablehlo.select %mask, %5, %x : tensor<2xi1>, tensor<2xf32>
  return %6 : tensor<2xf32>
}

// CHECK-LABEL: func.func @elided(
// CHECK:         "anvl.constant"() {value = dense_resource<__elided__>

// ELIDED: torch.mlir:[[# @LINE + 2]]:{{[0-9]+}}: error: anvl-run: dense_resource<__elided__> has no data
func.func @elided(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense_resource<__elided__> : tensor<2xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_2_torch.float32: "0x0400000000004040000000BF",
      torch_tensor_2_torch.bool: "0x040000000100"
    }
  }
#-}
