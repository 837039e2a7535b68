// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-gradient="function=f"
// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-forward="function=f"
// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-vectorize="function=f size=2"
// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-simplify-control-flow

// What a loop says of itself, and cannot be.

func.func @f(%x: tensor<f64>) -> tensor<f64> {
  // expected-error@+1 {{stablehlo.while: anvl.slots is 3 : i64; it must be a power of 2, of at least 2, as i64}}
  %0 = stablehlo.while(%c = %x) : tensor<f64> attributes {anvl.slots = 3 : i64}
  cond {
    %more = "anvl.is_finite"(%c) : (tensor<f64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = "anvl.exp"(%c) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %next : tensor<f64>
  }
  return %0 : tensor<f64>
}

// -----

func.func @f(%x: tensor<f64>) -> tensor<f64> {
  // expected-error@+1 {{stablehlo.while: anvl.slots is 4 : i32; it must be a power of 2, of at least 2, as i64}}
  %0 = stablehlo.while(%c = %x) : tensor<f64> attributes {anvl.slots = 4 : i32}
  cond {
    %more = "anvl.is_finite"(%c) : (tensor<f64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = "anvl.exp"(%c) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %next : tensor<f64>
  }
  return %0 : tensor<f64>
}

// -----

func.func @f(%x: tensor<f64>) -> tensor<f64> {
  // expected-error@+1 {{stablehlo.while: anvl.max_iterations is -1 : i64; it must be an i64 that an i32 holds, of at least 0}}
  %0 = stablehlo.while(%c = %x) : tensor<f64> attributes {anvl.max_iterations = -1 : i64}
  cond {
    %more = "anvl.is_finite"(%c) : (tensor<f64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = "anvl.exp"(%c) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %next : tensor<f64>
  }
  return %0 : tensor<f64>
}

// -----

func.func @f(%x: tensor<f64>) -> tensor<f64> {
  // expected-error@+1 {{stablehlo.while: anvl.ends is 3 : i64; it must be a bool}}
  %0 = stablehlo.while(%c = %x) : tensor<f64> attributes {anvl.ends = 3 : i64}
  cond {
    %more = "anvl.is_finite"(%c) : (tensor<f64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = "anvl.exp"(%c) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %next : tensor<f64>
  }
  return %0 : tensor<f64>
}
