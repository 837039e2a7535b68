// RUN: anvl-opt %s --anvl-lower-to-stablehlo --split-input-file --verify-diagnostics

// XLA ends the process on recursion and on functions without a body, so lowering refuses both, and
// names the pass that writes the body of a declaration.

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @g(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @g(%x: tensor<f32>) -> tensor<f32> {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    // expected-error @+1 {{anvl-lower-to-stablehlo: recursion: @main -> @g -> @main; calls must not form a cycle}}
    %1 = func.call @main(%x) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{anvl-lower-to-stablehlo: recursion: @main -> @main; calls must not form a cycle}}
  %0 = stablehlo.composite "my.op" %x {decomposition = @main} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{@g is called but has no body; give it one, or remove the call}}
  %0 = call @g(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error @+1 {{@g has no body and no caller; remove it, as --symbol-dce does}}
func.func private @g(tensor<f32>) -> tensor<f32>

// -----

func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func private @g(tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  attributes {anvl.vjp = {callee = @f, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{@g is declared by anvl.vjp and has no body; run anvl-gradient first}}
  %0:2 = call @g(%x, %x) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}

// -----

func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
// expected-error @+1 {{@g is declared by anvl.jvp and has no body; run anvl-forward first}}
func.func private @g(tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  attributes {anvl.jvp = {callee = @f, wrt = array<i64: 0>}}

// -----

func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
// expected-error @+1 {{@g is declared by anvl.vmap and has no body; run anvl-vectorize first}}
func.func private @g(tensor<3xf32>) -> tensor<3xf32>
  attributes {anvl.vmap = {callee = @f, batched = array<i64: 0>, results = array<i64: 0>, size = 3 : i64}}
