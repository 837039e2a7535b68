// RUN: not anvl-opt %s --anvl-mixed-precision 2>&1 | filecheck %s
// RUN: not anvl-opt %s --anvl-mixed-precision="dtype=f8" 2>&1 | filecheck %s --check-prefix=DTYPE

// CHECK: invalid.mlir:[[# @LINE + 3]]:1: error: anvl-mixed-precision: @f: anvl.mixed_precision is "f64"; it must be "bf16" or "f16"
// DTYPE: error: anvl-mixed-precision: dtype is 'f8'; it must be bf16 or f16

func.func private @f(%x: tensor<f32>) -> tensor<f32> attributes {anvl.mixed_precision = "f64"} {
  return %x : tensor<f32>
}
