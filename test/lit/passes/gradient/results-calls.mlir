// RUN: anvl-opt %s --verify-each --anvl-gradient="function=main results=none" | filecheck %s
// RUN: anvl-opt %s --verify-each --anvl-gradient="function=main split" \
// RUN:   | filecheck %s --check-prefix=SPLIT

// A function that is computed again for its adjoint is called where its result is of use: with
// `results=none` the first time is not. What has an effect in it stays.

// CHECK-LABEL: func.func @main_adjoint(%x: tensor<f64>) -> tensor<f64>
// CHECK-NEXT:    custom_call @note(%x)
// CHECK-NEXT:    %y_adjoint = "anvl.constant"
// CHECK-NEXT:    optimization_barrier %x, %y_adjoint
// CHECK-NEXT:    "anvl.sin"
// CHECK-NOT:     call @
// CHECK:         return

// Two functions call nothing: the first returns what is kept, the second computes the rest again.

// SPLIT-LABEL: func.func @main_fwd(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>)
// SPLIT:         %e = "anvl.exp"
// SPLIT-NEXT:    return %e, %x
// SPLIT-LABEL: func.func @main_bwd(%x: tensor<f64> {anvl.residual}, %cotangent: tensor<f64>)
// SPLIT:         optimization_barrier %x, %cotangent
// SPLIT:         "anvl.sin"
// SPLIT:         "anvl.exp"
// SPLIT-NOT:     call @
// SPLIT-LABEL: func.func @main(
func.func private @again(%x: tensor<f64>) -> tensor<f64> attributes {anvl.checkpoint = {kept = 0 : i64}} {
  stablehlo.custom_call @note(%x) {has_side_effect = true} : (tensor<f64>) -> ()
  %s = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  %e = "anvl.exp"(%s) : (tensor<f64>) -> tensor<f64>
  return %e : tensor<f64>
}
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %y = call @again(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
