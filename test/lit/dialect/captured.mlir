// RUN: anvl-opt %s --verify-roundtrip | filecheck %s
// RUN: not anvl-opt %s --anvl-lower-to-stablehlo 2>&1 | filecheck %s --check-prefix=EARLY

// Stands for an array of the running program, by its index: the array never is in the text. It
// must become an argument before the program is lowered.

// CHECK-LABEL: func.func @captured(
// CHECK:         "anvl.captured"() {index = 0 : i64} : () -> tensor<1000xf32>

// EARLY: captured.mlir:[[# @LINE + 2]]:{{.*}} anvl.captured is left; run anvl-hoist-constants first
func.func @captured() -> tensor<1000xf32> {
  %y = "anvl.captured"() {index = 0 : i64} : () -> tensor<1000xf32>
  return %y : tensor<1000xf32>
}
