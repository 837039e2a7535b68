// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-inline
// RUN: not anvl-opt %s --split-input-file --anvl-inline 2>&1 | filecheck %s

// Calls that cannot be inlined are refused where they stand; a cycle is shown.

func.func private @declared(tensor<f64>) -> tensor<f64>
func.func @call_of_a_declaration(%x: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{anvl-inline: @declared is a declaration without a body}}
  %0 = call @declared(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// CHECK: anvl-inline: recursion: @even -> @odd -> @even; calls must not form a cycle
// expected-error @+6 {{anvl-inline: recursion: @even -> @odd -> @even}}
func.func @even(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @odd(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @odd(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @even(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
