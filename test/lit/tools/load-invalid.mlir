// RUN: anvl-opt --load=%S/Inputs/my_ops.py %s --split-input-file --verify-diagnostics
// RUN: not anvl-opt %s --split-input-file 2>&1 | filecheck %s --check-prefix=FORGOTTEN

// Types of a person's own ops are checked in text, with their words.

// FORGOTTEN: error: operation being parsed with an unregistered dialect; name the file that defines it with --load

func.func @types(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{my.axpy: operands differ: tensor<2xf32>, tensor<3xf32>}}
  %0:2 = "my.axpy"(%x, %y) {a = 3.0 : f64} : (tensor<2xf32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#0 : tensor<2xf32>
}

// -----

func.func @attribute(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{my.axpy: attribute `a`: expected a float such as 0.5 : f64, got 3 : i64}}
  %0:2 = "my.axpy"(%x, %x) {a = 3 : i64} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#0 : tensor<2xf32>
}

// -----

func.func @operands(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{my.sin_pi: takes 1 operand, got 2}}
  %0 = "my.sin_pi"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @unknown(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{unregistered operation 'my.nothing' found in dialect ('my')}}
  %0 = "my.nothing"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
