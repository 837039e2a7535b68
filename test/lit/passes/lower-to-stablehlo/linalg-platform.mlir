// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=elsewhere | filecheck %s
// RUN: not anvl-opt %S/../../dialect/svd.mlir --anvl-lower-to-stablehlo=platform=elsewhere 2>&1 | filecheck %s --check-prefix=NONE

// Where no routine is known, StableHLO's own ops remain, and the rest says so.

// CHECK: stablehlo.cholesky
// CHECK-NOT: custom_call

// NONE: svd.mlir:{{[0-9]+}}:{{[0-9]+}}: error: anvl-lower-to-stablehlo: svd: platform elsewhere has no routine for it, cpu has;

func.func @main(%x: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %y = "anvl.cholesky"(%x) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  return %y : tensor<2x2xf64>
}
