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
// CHECK-NEXT:    call @member_each
// GRAD-LABEL:  func.func @asked_adjoint(
// GRAD-COUNT-2:  }) {anvl.batch = "loop"} :
// JVP-LABEL:   func.func @asked_tangent(
// JVP:           }) {anvl.batch = "loop"} :
// SAME-LABEL:  func.func @asked_batched(
// SAME:          }) {anvl.batch = "loop"} : (tensor<i32>) -> tensor<3xf64>

// Without, an effect is a reason to loop, and a call that has none is not.
// FORCED-LABEL: func.func @forced_batched(
// FORCED-COUNT-3: stablehlo.custom_call @log
// FORCED:         "anvl.select"
// LOUD-LABEL:   func.func @loud_batched(
// LOUD-NEXT:      call @member_each
// QUIET-LABEL:  func.func @quiet_batched(
// QUIET-COUNT-3:  stablehlo.custom_call @log
// QUIET:          "anvl.select"
func.func @asked(%i: tensor<i32>, %x: tensor<f64>) -> tensor<f64> {
  %0 = "stablehlo.case"(%i) ({
    %1 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }, {
    %1 = "anvl.cos"(%x) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) {anvl.batch = "loop"} : (tensor<i32>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @forced(%i: tensor<i32>, %x: tensor<f64>) -> tensor<f64> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<f64>) -> tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }, {
    %1 = "anvl.cos"(%x) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) {anvl.batch = "select"} : (tensor<i32>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @loud(%i: tensor<i32>, %x: tensor<f64>) -> tensor<f64> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<f64>) -> tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }, {
    %1 = "anvl.cos"(%x) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<i32>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @quiet(%i: tensor<i32>, %x: tensor<f64>) -> tensor<f64> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.custom_call @log(%x) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }, {
    %1 = "anvl.cos"(%x) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<i32>) -> tensor<f64>
  return %0 : tensor<f64>
}
