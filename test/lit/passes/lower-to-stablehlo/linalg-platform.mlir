// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=elsewhere | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=routines=none | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=cuda | filecheck %s --check-prefix=CUDA
// RUN: not anvl-opt %s --anvl-lower-to-stablehlo=routines=blas 2>&1 | filecheck %s --check-prefix=WRONG
// RUN: not anvl-opt %S/../../dialect/eig.mlir --anvl-lower-to-stablehlo=platform=elsewhere 2>&1 | filecheck %s --check-prefix=NONE
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=elsewhere | %run | %numbers %s

// Where no routine is known, StableHLO's own ops remain, factorisations are loops, and the rest says
// so.

// CHECK-NOT: custom_call
// CHECK: stablehlo.cholesky
// CHECK: stablehlo.while

// For CUDA there is cuSOLVER.

// CUDA: custom_call @cusolver_potrf_ffi({{.*}}) {api_version = 4 : i32, backend_config = {lower = true}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>]
// CUDA: custom_call @cusolver_syevd_ffi({{.*}}) {api_version = 4 : i32, backend_config = {algorithm = 0 : ui8, lower = true}
// CUDA-NOT: stablehlo.while

// WRONG: error: anvl-lower-to-stablehlo: routines takes lapack, cusolver, hipsolver or none, got 'blas'
// NONE: eig.mlir:{{[0-9]+}}:{{[0-9]+}}: error: anvl-lower-to-stablehlo: eig: there is no form of it in StableHLO alone,

// The eigenvalues of the Cholesky factor's Hermitian part, [[2, 1], [1, 2]], are 1 and 3.

// NUMBERS: f64[2] 1.5 2.5

func.func @main() -> tensor<2xf64> {
  %x = "anvl.constant"() {value = dense<[[4.0, 2.0], [2.0, 5.0]]> : tensor<2x2xf64>} : () -> tensor<2x2xf64>
  %y = "anvl.cholesky"(%x) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %w = "anvl.eigvalsh"(%y) : (tensor<2x2xf64>) -> tensor<2xf64>
  return %w : tensor<2xf64>
}
