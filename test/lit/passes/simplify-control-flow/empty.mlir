// RUN: anvl-opt %s --verify-each --anvl-simplify-control-flow | filecheck %s
// RUN: anvl-opt %s --anvl-simplify-control-flow --anvl-simplify-control-flow | filecheck %s

// A constant of no elements stays where it is: in front of the loop it would be a number, which is
// written where it is used, and so on without end.

// CHECK:       func.func private @twice(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x0xf64>) -> tensor<2x0xf64>
// CHECK:         %[[TWO:.*]] = "anvl.constant"()
// CHECK:         "anvl.mul"(%[[X]], %[[TWO]])
func.func private @loop(tensor<2x0xf64>) -> tensor<2x0xf64> attributes {anvl.scan = {
  body = @twice, carry = 1 : i64, xs = 0 : i64, length = 3 : i64, reverse = false
}}
func.func private @twice(%x: tensor<2x0xf64>) -> tensor<2x0xf64> {
  %two = "anvl.constant"() {value = dense<2.0> : tensor<2x0xf64>} : () -> tensor<2x0xf64>
  %0 = "anvl.mul"(%x, %two) : (tensor<2x0xf64>, tensor<2x0xf64>) -> tensor<2x0xf64>
  return %0 : tensor<2x0xf64>
}
func.func @main(%x: tensor<2x0xf64>) -> tensor<2x0xf64> {
  %0 = call @loop(%x) : (tensor<2x0xf64>) -> tensor<2x0xf64>
  return %0 : tensor<2x0xf64>
}
