// RUN: anvl-opt %s --split-input-file --verify-diagnostics \
// RUN:   --anvl-gradient="function=main wrt=0"

// expected-error@+1 {{@f: anvl.custom_vjp must be {rule = @f_rule, wrt = array<i64: ...>}, got {rule = @g}}}
func.func private @f(%x: tensor<f64>) -> tensor<f64> attributes {anvl.custom_vjp = {rule = @g}} {
  return %x : tensor<f64>
}
func.func private @g(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @f(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// expected-error@+1 {{there is no function @g}}
func.func private @f(%x: tensor<f64>) -> tensor<f64>
    attributes {anvl.custom_vjp = {rule = @g, wrt = array<i64: 0>}} {
  return %x : tensor<f64>
}
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @f(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// expected-error@+1 {{its rule @g is (tensor<f64>) -> tensor<f64>, but must be (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>}}
func.func private @f(%x: tensor<f64>) -> tensor<f64>
    attributes {anvl.custom_jvp = {rule = @g, wrt = array<i64: 0>}} {
  return %x : tensor<f64>
}
func.func private @g(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @f(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// expected-error@+1 {{@f: anvl.custom_vjp: wrt [1] must be positions of its 1 arguments, in order}}
func.func private @f(%x: tensor<f64>) -> tensor<f64>
    attributes {anvl.custom_vjp = {rule = @g, wrt = array<i64: 1>}} {
  return %x : tensor<f64>
}
func.func private @g(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @f(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// expected-error@+1 {{@f: anvl.custom_vjp: wrt 1 is tensor<i32>; only floats have a derivative}}
func.func private @f(%x: tensor<f64>, %n: tensor<i32>) -> tensor<f64>
    attributes {anvl.custom_vjp = {rule = @g, wrt = array<i64: 1>}} {
  return %x : tensor<f64>
}
func.func private @g(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
func.func @main(%x: tensor<f64>, %n: tensor<i32>) -> tensor<f64> {
  %0 = call @f(%x, %n) : (tensor<f64>, tensor<i32>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// expected-error@+1 {{@f: anvl.checkpoint must be {kept = n : i64}, got {}}}
func.func private @f(%x: tensor<f64>) -> tensor<f64> attributes {anvl.checkpoint = {}} {
  return %x : tensor<f64>
}
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @f(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// expected-error@+1 {{@f: anvl.checkpoint: its residuals are not chosen yet; run anvl-remat first}}
func.func private @f(%x: tensor<f64>) -> tensor<f64>
    attributes {anvl.checkpoint = {budget = 8 : i64}} {
  return %x : tensor<f64>
}
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @f(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// expected-error@+1 {{its rule @f is (tensor<f64>) -> tensor<f64>, but must be (tensor<f64>, ten}}
func.func private @f(%x: tensor<f64>) -> tensor<f64>
    attributes {anvl.custom_vjp = {rule = @f, wrt = array<i64: 0>}} {
  return %x : tensor<f64>
}
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @f(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

func.func private @f(%x: tensor<f64>) -> tensor<f64>
    attributes {anvl.custom_vjp = {nested = 3 : i64}} {
  return %x : tensor<f64>
}
// expected-error@+2 {{the rule of @f calls it each time with other functions, dtypes or shapes, and is}}
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @f(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
