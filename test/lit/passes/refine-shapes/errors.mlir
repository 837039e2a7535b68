// RUN: anvl-opt %s --anvl-refine-shapes="types=tensor<4xf32>" --split-input-file --verify-diagnostics

// What cannot be refined is named.

// expected-error @+1 {{anvl-refine-shapes: @main: takes 2 arguments, got 1 types}}
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{anvl-refine-shapes: @main: argument 0 is tensor<?xi32>, which cannot be tensor<4xf32>}}
func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {
  return %x : tensor<?xi32>
}

// -----

// expected-error @+1 {{anvl-refine-shapes: @main: argument 0 is tensor<?x1xf32>, which cannot be tensor<4xf32>}}
func.func @main(%x: tensor<?x1xf32>) -> tensor<?x1xf32> {
  return %x : tensor<?x1xf32>
}

// -----

// expected-error @+1 {{anvl-refine-shapes: @main: argument 0 is tensor<3xf32>, which cannot be tensor<4xf32>}}
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// -----

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = "stablehlo.custom_call"() {call_target_name = "count"} : () -> tensor<1xi32>
  // expected-error @+1 {{@main: stablehlo.dynamic_iota stays dynamic, tensor<?xf32>: its shape depends on values, not only on the types of the arguments}}
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %ok = stablehlo.compare GE, %n, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // expected-error @+1 {{anvl-refine-shapes: @main: at least 5 rows, got 4}}
  stablehlo.custom_call @shape_assertion(%ok, %n) {api_version = 2 : i32, error_message = "at least 5 rows, got {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  return %x : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{@main: is called by @twice, whose types would not fit; refine @twice}}
  %0 = call @main(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
