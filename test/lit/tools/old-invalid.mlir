// RUN: not anvl-opt %s --split-input-file 2>&1 | filecheck %s

// Declarations of version 0.1 that are none.

// CHECK: error: @f: anvl.case: it has no branches
func.func private @f(tensor<i32>) -> () attributes {anvl.case = {branches = []}}

// -----

// CHECK: error: @f: anvl.case must be {branches = [@a, ...]}, got {branches = 3 : i32}
func.func private @f(tensor<i32>) -> () attributes {anvl.case = {branches = 3 : i32}}

// -----

// CHECK: error: @f: anvl.while must be {cond = @c, body = @b, carry = n : i64}, got {carry = 1 : i64}
func.func private @f(tensor<f64>) -> tensor<f64> attributes {anvl.while = {carry = 1 : i64}}

// -----

// CHECK: error: @f has anvl.while and a body; it must be a declaration
func.func private @f(%x: tensor<f64>) -> tensor<f64>
    attributes {anvl.while = {cond = @f, body = @f, carry = 1 : i64}} {
  return %x : tensor<f64>
}

// -----

// CHECK: error: {{.*}}'func.call' op operand type mismatch
func.func private @f(tensor<f64>) -> tensor<f64>
    attributes {anvl.while = {cond = @c, body = @b, carry = 1 : i64}}
func.func private @c(%x: tensor<f32>) -> tensor<i1> {
  %0 = "anvl.is_finite"(%x) : (tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func private @b(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
