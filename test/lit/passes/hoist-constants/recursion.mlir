// RUN: not anvl-opt %s --anvl-hoist-constants 2>&1 | filecheck %s

// The constants of functions that call each other have no place to go: the circle is shown.

// CHECK: anvl-hoist-constants: recursion: @f -> @g -> @f; calls must not form a cycle
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @g(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @g(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @f(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
