// RUN: anvl-opt %s --anvl-gradient="function=main slots=16" | filecheck %s
// RUN: anvl-opt %s --anvl-gradient="function=main" | filecheck %s --check-prefix=DEFAULT
// RUN: anvl-opt %s --anvl-gradient="slots=16" | filecheck %s --check-prefix=DECLARED
// RUN: anvl-opt %s --anvl-gradient="function=main slots=2" --anvl-control-flow \
// RUN:   | %run --function=main_adjoint --args='[2.0]' | %numbers %s
// RUN: anvl-opt %s --anvl-gradient="function=main slots=64" --anvl-control-flow \
// RUN:   | %run --function=main_adjoint --args='[2.0]' | %numbers %s

// How many carries a level keeps: the pass says it for loops that do not.

// CHECK-LABEL: func.func private @own_forward(
// CHECK-SAME:    tensor<4xf64>
// CHECK-LABEL: func.func private @loop_forward(
// CHECK-SAME:    tensor<16xf64>
// DEFAULT-LABEL: func.func private @own_forward(
// DEFAULT-SAME:  tensor<4xf64>
// DEFAULT-LABEL: func.func private @loop_forward(
// DEFAULT-SAME:  tensor<32xf64>
// DECLARED-LABEL: func.func private @main_vjp(
// DECLARED-LABEL: func.func private @loop_forward(
// DECLARED-SAME: tensor<16xf64>

// 2 is squared 3 times, that once more: 2^16, with the slope 16 * 2^15.
// NUMBERS:      f64[] 65536.0
// NUMBERS-NEXT: f64[] 524288.0

// RUN: anvl-opt %s --anvl-gradient="slots=16" --anvl-gradient="slots=16" -o %t.twice
// RUN: anvl-opt %s --anvl-gradient="slots=16" -o %t.once
// RUN: cmp %t.once %t.twice
// RUN: anvl-opt %S/function.mlir --anvl-gradient="function=loss slots=16" -o %t.sixteen
// RUN: anvl-opt %S/function.mlir --anvl-gradient="function=loss" -o %t.default
// RUN: cmp %t.sixteen %t.default

// RUN: not anvl-opt %s --anvl-gradient="function=main slots=12" 2>&1 | filecheck %s --check-prefix=BAD
// RUN: not anvl-opt %s --anvl-gradient="slots=0" 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not anvl-opt %s --anvl-gradient="slots=few" 2>&1 | filecheck %s --check-prefix=FEW
// BAD:  error: anvl-gradient: slots is 12; it must be a power of 2, of at least 2
// NONE: error: anvl-gradient: slots is 0; it must be a power of 2, of at least 2
// FEW:  anvl-gradient: option slots takes int, got 'few'
func.func private @loop(tensor<f64>) -> tensor<f64>
    attributes {anvl.while = {cond = @below, body = @square, carry = 1 : i64}}
func.func private @own(tensor<f64>) -> tensor<f64>
    attributes {anvl.while = {cond = @less, body = @square, carry = 1 : i64, slots = 4 : i64}}

func.func private @below(%x: tensor<f64>) -> tensor<i1> {
  %0 = "anvl.constant"() {value = dense<100.0> : tensor<f64>} : () -> tensor<f64>
  %1 = "anvl.compare"(%x, %0) {comparison_direction = #stablehlo<comparison_direction LT>}
    : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %1 : tensor<i1>
}
func.func private @less(%x: tensor<f64>) -> tensor<i1> {
  %0 = "anvl.constant"() {value = dense<1000.0> : tensor<f64>} : () -> tensor<f64>
  %1 = "anvl.compare"(%x, %0) {comparison_direction = #stablehlo<comparison_direction LT>}
    : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %1 : tensor<i1>
}
func.func private @square(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @main_vjp(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @main, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @loop(%x) : (tensor<f64>) -> tensor<f64>
  %1 = call @own(%0) : (tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
