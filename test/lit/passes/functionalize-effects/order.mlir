// RUN: anvl-opt %s --verify-each --anvl-functionalize-effects | filecheck %s
// RUN: anvl-opt %s --anvl-functionalize-effects --anvl-functionalize-effects | filecheck %s
// RUN: anvl-opt %s --anvl-functionalize-effects --anvl-gradient --anvl-vectorize | filecheck %s --check-prefix=EXPANDED
// RUN: not anvl-run %s --function=prints --args='[1.0]' 2>&1 | filecheck %s --check-prefix=REFUSED

// Calls of Python with an effect hand a token on: the entry begins with one, and returns the last.
// From there on they may be erased and merged.  A call without an effect has no token.  In a batch a
// call is one for all members, which the host tells apart by the number of axes; a derivative makes
// the calls of its function once.

// CHECK-LABEL: func.func @prints(
// CHECK-SAME:    -> (tensor<f32>, tensor<i32> {anvl.state = "order"})
// CHECK:         %[[T0:.*]] = "anvl.constant"() {value = dense<0> : tensor<i32>}
// CHECK:         %[[T1:.*]] = stablehlo.custom_call @anvl.print(%[[T0]], %[[X:.*]]) {{.*}}ordered = true{{.*}} : (tensor<i32>, tensor<f32>) -> tensor<i32>
// CHECK-NOT:     has_side_effect
// CHECK:         %[[P:.*]] = stablehlo.custom_call @anvl.python(%[[X]]) {{.*}} : (tensor<f32>) -> tensor<f32>
// CHECK:         %[[T2:.*]]:2 = stablehlo.custom_call @anvl.python(%[[T1]], %[[P]]) {{.*}}ordered = true{{.*}} : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>)
// CHECK:         return %[[T2]]#1, %[[T2]]#0

// EXPANDED-LABEL: func.func private @scaled_vmap_members(
// EXPANDED:         stablehlo.custom_call @anvl.print(%{{.*}}, %{{.*}}) {{.*}}axes = 1 : i64{{.*}} : (tensor<i32>, tensor<3xf32>) -> tensor<i32>
// EXPANDED-NOT:     anvl.print
// EXPANDED:         return

// REFUSED: order.mlir:[[# @LINE + 3]]:3: error: anvl-run: anvl.print is a call of Python, which the process that traced it makes
func.func @prints(%x: tensor<f32>) -> tensor<f32> {
  // A message, and the names of the operands in it.
  "stablehlo.custom_call"(%x) {call_target_name = "anvl.print", api_version = 4 : i32, has_side_effect = true, backend_config = {message = "x is {x}", names = ["x"]}} : (tensor<f32>) -> ()
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "anvl.python", api_version = 4 : i32, backend_config = {name = "sin", index = 0 : i64}} : (tensor<f32>) -> tensor<f32>
  %1 = "stablehlo.custom_call"(%0) {call_target_name = "anvl.python", api_version = 4 : i32, has_side_effect = true, backend_config = {name = "log", index = 1 : i64}} : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

func.func private @scaled(%x: tensor<f32>) -> tensor<f32> {
  "stablehlo.custom_call"(%x) {call_target_name = "anvl.print", api_version = 4 : i32, has_side_effect = true, backend_config = {message = "x is {x}", names = ["x"]}} : (tensor<f32>) -> ()
  %0 = "anvl.mul"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @scaled_vmap(tensor<3xf32>) -> tensor<3xf32> attributes {
  anvl.vmap = {callee = @scaled, batched = array<i64: 0>, results = array<i64: 0>, size = 3 : i64}
}
func.func private @scaled_vjp(tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    attributes {anvl.vjp = {callee = @scaled, wrt = array<i64: 0>, targets = array<i64: 0>}}

// A call that is marked computes again what another one has: what follows gets the token from before.
// CHECK-LABEL: func.func @pulled(
// CHECK:         %[[V:.*]]:2 = call @scaled(%[[T:.*]], %[[X:.*]]) :
// CHECK:         call @scaled_vjp(%[[V]]#0, %[[X]], %[[V]]#1) :
// CHECK:         return %{{.*}}#2, %[[V]]#0
func.func @pulled(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @scaled(%x) : (tensor<f32>) -> tensor<f32>
  %1:2 = call @scaled_vjp(%x, %0) {anvl.again} : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %1#1 : tensor<f32>
}
