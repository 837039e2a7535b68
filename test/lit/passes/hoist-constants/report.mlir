// RUN: anvl-opt %s --split-input-file --anvl-hoist-constants=report=true -o %t 2>&1 | filecheck %s

// The report names each hoisted constant, with its bytes and its line.

// CHECK:      @main c1: f64[2, 500], 8000 bytes, {{.*}}:[[# @LINE + 3]]:8
// CHECK-NEXT: @main c2: c64[2], 16 bytes, {{.*}}:[[# @LINE + 3]]:8
func.func @main() -> (tensor<2x500xf64>, tensor<2xcomplex<f32>>) {
  %0 = "anvl.captured"() {index = 0 : i64} : () -> tensor<2x500xf64>
  %1 = "anvl.constant"() {value = dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>}
      : () -> tensor<2xcomplex<f32>>
  return %0, %1 : tensor<2x500xf64>, tensor<2xcomplex<f32>>
}

// -----

// CHECK-NEXT: anvl-hoist-constants: nothing to hoist
func.func @none(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
