// RUN: not anvl-opt %s --split-input-file --anvl-gradient 2>&1 | filecheck %s

// Functions that depend on each other in a circle have no derivative by inlining: the circle is
// shown.

// CHECK: anvl-gradient: recursion: @df -> @f -> @df; functions must not form a cycle
func.func private @df(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @f, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = call @df(%x, %x) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// -----

// CHECK: anvl-gradient: recursion: @dg -> @g -> @g; functions must not form a cycle
func.func private @dg(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @g, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func private @g(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @g(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
