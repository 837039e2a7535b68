// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-functionalize-effects

// Effects where no state can be returned: in the rule of a custom derivative, in a function that is
// transposed, and in the body of a reduction.

func.func private @f(%x: tensor<f32>) -> tensor<f32>
    attributes {anvl.custom_jvp = {rule = @f_rule, wrt = array<i64: 0>}} {
  return %x : tensor<f32>
}
func.func private @f_rule(%x: tensor<f32>, %y: tensor<f32>, %t: tensor<f32>) -> tensor<f32> {
  %ok = "anvl.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %none = "anvl.constant"() {value = dense<0> : tensor<1xui32>} : () -> tensor<1xui32>
  // expected-error @+1 {{anvl.check in @f_rule, the rule of @f, which returns derivatives alone; put it into the function itself}}
  "anvl.check"(%ok, %none) {message = "p", names = [], types = [], shape = array<i64>}
    : (tensor<i1>, tensor<1xui32>) -> ()
  return %t : tensor<f32>
}

// -----

func.func private @g(%x: tensor<f32>, %ok: tensor<i1>) -> tensor<f32> {
  %none = "anvl.constant"() {value = dense<0> : tensor<1xui32>} : () -> tensor<1xui32>
  // expected-error @+1 {{anvl.check in a function of which @g_t is the transpose, which computes no values}}
  "anvl.check"(%ok, %none) {message = "p", names = [], types = [], shape = array<i64>}
    : (tensor<i1>, tensor<1xui32>) -> ()
  return %x : tensor<f32>
}
func.func private @g_t(tensor<i1>, tensor<f32>) -> tensor<f32>
    attributes {anvl.linear_transpose = {callee = @g, wrt = array<i64: 0>}}

// -----

func.func @in_a_body(%x: tensor<3xf32>, %zero: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%x, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %ok = "anvl.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    %none = "anvl.constant"() {value = dense<0> : tensor<1xui32>} : () -> tensor<1xui32>
    // expected-error @+1 {{anvl.check in the body of stablehlo.reduce, which returns no state}}
    "anvl.check"(%ok, %none) {message = "p", names = [], types = [], shape = array<i64>}
      : (tensor<i1>, tensor<1xui32>) -> ()
    stablehlo.return %a : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
