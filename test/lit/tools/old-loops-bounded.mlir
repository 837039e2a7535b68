// RUN: anvl-opt %s --verify-each --anvl-gradient="function=few" \
// RUN:   --anvl-gradient="function=bounded" -o %t
// RUN: anvl-opt %s --anvl-inline | filecheck %s
// RUN: anvl-opt %t --anvl-control-flow -o %t.bodies
// RUN: %run %t.bodies --function=few_adjoint --args='[0.5, 11]' | %numbers %s --check-prefix=ALL
// RUN: %run %t.bodies --function=bounded_adjoint --args='[0.5, 11]' \
// RUN:   | %numbers %s --check-prefix=FIVE

// As version 0.1 wrote it: what a loop said of itself it says still, and it ends after the steps that
// it may make at the most.

// CHECK-LABEL: func.func @few(
// CHECK:         stablehlo.while({{.*}} attributes {anvl.slots = 2 : i64}
// CHECK-LABEL: func.func @bounded(
// CHECK:         stablehlo.while({{.*}} : tensor<i32>, tensor<i32>, tensor<f64> attributes {anvl.max_iterations = 5 : i64}
// CHECK:           "anvl.and"

// x^(n + 1) after n steps.
// ALL:       f64[] 0.000244141
// ALL-NEXT:  f64[] 0.00585938

// FIVE:      f64[] 0.015625
// FIVE-NEXT: f64[] 0.1875
func.func private @grow(tensor<i32>, tensor<f64>, tensor<i32>, tensor<f64>)
    -> (tensor<i32>, tensor<f64>)
    attributes {anvl.while = {cond = @below, body = @times, carry = 2 : i64, slots = 2 : i64}}
func.func private @capped(tensor<i32>, tensor<f64>, tensor<i32>, tensor<f64>)
    -> (tensor<i32>, tensor<f64>) attributes {anvl.while = {
      cond = @below, body = @times, carry = 2 : i64, max_iterations = 5 : i64
    }}

func.func private @below(%i: tensor<i32>, %y: tensor<f64>, %n: tensor<i32>, %x: tensor<f64>)
    -> tensor<i1> {
  %0 = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>}
    : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func private @times(%i: tensor<i32>, %y: tensor<f64>, %n: tensor<i32>, %x: tensor<f64>)
    -> (tensor<i32>, tensor<f64>) {
  %one = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
  %0 = "anvl.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %1 = "anvl.mul"(%y, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0, %1 : tensor<i32>, tensor<f64>
}
func.func @few(%x: tensor<f64>, %n: tensor<i32>) -> tensor<f64> {
  %zero = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %0:2 = call @grow(%zero, %x, %n, %x)
    : (tensor<i32>, tensor<f64>, tensor<i32>, tensor<f64>) -> (tensor<i32>, tensor<f64>)
  return %0#1 : tensor<f64>
}
func.func @bounded(%x: tensor<f64>, %n: tensor<i32>) -> tensor<f64> {
  %zero = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %0:2 = call @capped(%zero, %x, %n, %x)
    : (tensor<i32>, tensor<f64>, tensor<i32>, tensor<f64>) -> (tensor<i32>, tensor<f64>)
  return %0#1 : tensor<f64>
}
