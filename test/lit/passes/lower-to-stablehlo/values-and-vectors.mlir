// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo --anvl-inline --symbol-dce | filecheck %s

// Singular values of a matrix whose vectors are computed too, as in the derivative of the values,
// come from the same routine: mode 83 is with vectors, 78 without.

// CHECK-LABEL: func.func @both(
// CHECK-NOT:     mode = 78
// CHECK:         stablehlo.custom_call @lapack_dgesdd_ffi(%{{.*}}) {{.*}}mode = 83
// CHECK-NOT:     mode = 78
// CHECK:         return
func.func @both(%x: tensor<4x3xf64>) -> (tensor<3xf64>, tensor<4x3xf64>) {
  %s = "anvl.svdvals"(%x) : (tensor<4x3xf64>) -> tensor<3xf64>
  %u, %t, %vt = "anvl.svd"(%x) : (tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<3x3xf64>)
  return %s, %u : tensor<3xf64>, tensor<4x3xf64>
}

// CHECK-LABEL: func.func @values(
// CHECK:         mode = 78
func.func @values(%x: tensor<4x3xf64>) -> tensor<3xf64> {
  %s = "anvl.svdvals"(%x) : (tensor<4x3xf64>) -> tensor<3xf64>
  return %s : tensor<3xf64>
}
