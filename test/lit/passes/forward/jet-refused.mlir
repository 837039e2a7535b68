// RUN: not anvl-opt %s --split-input-file --anvl-forward 2>&1 | filecheck %s

// CHECK: error: anvl-forward: @g: the order is 0 and orders are []; the order must be at least 1, and the orders from 1 to it
func.func private @f(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
func.func private @g(tensor<f32>) -> tensor<f32> attributes {anvl.jet = {callee = @f, wrt = array<i64>, orders = array<i64>, order = 0 : i64}}

// -----

// CHECK: error: anvl-forward: @g: the order is 1 and orders are [2]; the order must be at least 1
func.func private @f(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
func.func private @g(tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) attributes {anvl.jet = {callee = @f, wrt = array<i64: 0>, orders = array<i64: 2>, order = 1 : i64}}

// -----

// CHECK: error: anvl-forward: @g: wrt and orders [(0, 1), (0, 1)] give a derivative twice
func.func private @f(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
func.func private @g(tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) attributes {anvl.jet = {callee = @f, wrt = array<i64: 0, 0>, orders = array<i64: 1, 1>, order = 1 : i64}}

// -----

// CHECK: error: anvl-forward: @g: wrt 0 is tensor<i32>; only floats have a derivative
func.func private @f(%x: tensor<i32>) -> tensor<i32> { return %x : tensor<i32> }
func.func private @g(tensor<i32>, tensor<i32>) -> tensor<i32> attributes {anvl.jet = {callee = @f, wrt = array<i64: 0>, orders = array<i64: 1>, order = 1 : i64}}

// -----

// CHECK: error: anvl-forward: @g: anvl.jet must be {callee = @f, wrt = array<i64: ...>, orders = array<i64: ...>, order = n : i64}, got
func.func private @f(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
func.func private @g(tensor<f32>) -> tensor<f32> attributes {anvl.jet = {callee = @f, wrt = array<i64: 0>, orders = array<i64>, order = 1 : i64}}

// -----

// CHECK: error: anvl-forward: @f: stablehlo.rng at {{.*}} has no Taylor series: its dialect has no tangent rules
func.func private @f(%x: tensor<f32>) -> tensor<1xf32> {
  %s = "anvl.constant"() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %0 = "stablehlo.rng"(%x, %x, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
func.func private @g(tensor<f32>, tensor<f32>) -> (tensor<1xf32>, tensor<1xf32>) attributes {anvl.jet = {callee = @f, wrt = array<i64: 0>, orders = array<i64: 1>, order = 1 : i64}}
