// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-lower-to-stablehlo

// An op that has no lowering is an error, at the op, with what to do; the module is not half done in
// silence.

func.func @captured(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = "anvl.sin"(%x) : (tensor<2xf64>) -> tensor<2xf64>
  // expected-error @+1 {{anvl-lower-to-stablehlo: anvl.captured is left; run anvl-hoist-constants first}}
  %c = "anvl.captured"() {index = 5 : i64} : () -> tensor<2xf64>
  %1 = "anvl.add"(%0, %c) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %1 : tensor<2xf64>
}
