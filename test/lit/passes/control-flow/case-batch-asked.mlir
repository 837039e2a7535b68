// RUN: anvl-opt %s --anvl-vectorize="function=asked size=3" | filecheck %s
// RUN: anvl-opt %s --anvl-gradient="function=asked" | filecheck %s --check-prefix=GRAD
// RUN: anvl-opt %s --anvl-forward="function=asked" | filecheck %s --check-prefix=JVP
// RUN: anvl-opt %s --anvl-vectorize="function=asked batched=1 size=3" \
// RUN:   | filecheck %s --check-prefix=SAME
// RUN: anvl-opt %s --anvl-vectorize="function=forced size=3" | filecheck %s --check-prefix=FORCED
// RUN: anvl-opt %s --anvl-vectorize="function=loud size=3" | filecheck %s --check-prefix=LOUD
// RUN: anvl-opt %s --anvl-vectorize="function=quiet size=3" | filecheck %s --check-prefix=QUIET

// What a case says of members that differ in the branch holds, and goes on to what is made of it.

// CHECK-LABEL: func.func @asked_batched(
// CHECK-NEXT:    call @sines_each(
// GRAD:        func.func private @sines_adjoint(
// GRAD-SAME:     {anvl.case = {batch = "loop", branches = [@sine_adjoint, @cosine_adjoint]}}
// JVP:         func.func private @sines_tangent(
// JVP-SAME:      {anvl.case = {batch = "loop", branches = [@sine_tangent, @cosine_tangent]}}
// SAME:        func.func private @sines_batched(
// SAME-SAME:     {anvl.case = {batch = "loop", branches = [@sine_batched, @cosine_batched]}}

// Without, an effect is a reason to loop, and a call that has none is not.
// FORCED-LABEL: func.func @forced_batched(
// FORCED-COUNT-3: stablehlo.custom_call @log
// FORCED:         "anvl.select"
// LOUD-LABEL:   func.func @loud_batched(
// LOUD-NEXT:      call @log_or_sine_each(
// QUIET-LABEL:  func.func @quiet_batched(
// QUIET-COUNT-3:  stablehlo.custom_call @log
// QUIET:          "anvl.select"
func.func @asked(%i: tensor<i32>, %x: tensor<f64>) -> tensor<f64> {
  %0 = call @sines(%i, %x) : (tensor<i32>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @sines(tensor<i32>, tensor<f64>) -> tensor<f64>
    attributes {anvl.case = {branches = [@sine, @cosine], batch = "loop"}}
func.func @forced(%i: tensor<i32>, %x: tensor<f64>) -> tensor<f64> {
  %0 = call @both(%i, %x) : (tensor<i32>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @both(tensor<i32>, tensor<f64>) -> tensor<f64>
    attributes {anvl.case = {branches = [@log, @sine], batch = "select"}}
func.func @loud(%i: tensor<i32>, %x: tensor<f64>) -> tensor<f64> {
  %0 = call @log_or_sine(%i, %x) : (tensor<i32>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @log_or_sine(tensor<i32>, tensor<f64>) -> tensor<f64>
    attributes {anvl.case = {branches = [@log, @sine]}}
func.func @quiet(%i: tensor<i32>, %x: tensor<f64>) -> tensor<f64> {
  %0 = call @pure(%i, %x) : (tensor<i32>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @pure(tensor<i32>, tensor<f64>) -> tensor<f64>
    attributes {anvl.case = {branches = [@read, @sine]}}
func.func private @sine(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @cosine(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.cos"(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @log(%x: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @read(%x: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.custom_call @log(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
