// RUN: anvl-opt %s --anvl-vectorize="function=main size=3" | filecheck %s
// RUN: anvl-opt %s --anvl-vectorize="function=main size=3" --anvl-control-flow \
// RUN:   | %run --function=main_batched --args='[[4.0, 11.0, 7.0]]' \
// RUN:   | %numbers %s --check-prefix=VALUE
// RUN: anvl-opt %s --anvl-gradient="function=main results=none" \
// RUN:   --anvl-vectorize="function=main_adjoint size=3" --anvl-control-flow \
// RUN:   | %run --function=main_adjoint_batched --args='[[4.0, 11.0, 7.0]]' \
// RUN:   | %numbers %s --check-prefix=SLOPES
// RUN: anvl-opt %s --anvl-vectorize="function=plain size=3" | filecheck %s --check-prefix=PLAIN
// RUN: anvl-opt %s --anvl-gradient="function=plain" | filecheck %s --check-prefix=ENDS

// Adds 3 until 10, by a body that counts down from 10 - x: that does not end for 11 and 13, which
// are done. So in the place of members that are done stands one that is not.

// CHECK-LABEL: func.func private @step_batched(%{{.*}}: tensor<3xf64>) -> tensor<3xf64>
// CHECK:         %[[ACTIVE:.*]] = "anvl.compare"
// CHECK:         "anvl.argmax"(%[[ACTIVE]])
// CHECK:         %[[GIVEN:.*]] = "anvl.select"(%[[ACTIVE]], %[[X:.*]], %{{.*}})
// CHECK:         call @count_batched(
// CHECK:         "anvl.select"(%[[ACTIVE]], %{{.*}}, %[[X]])

// VALUE:       f64[3] 10.0 11.0 10.0
// SLOPES:      f64[3] 1.0 1.0 1.0

// Where the body ends whatever it is given, nothing stands in.
// PLAIN-NOT:   "anvl.argmax"
// PLAIN:       func.func private @less_batched(
// PLAIN-NOT:   "anvl.argmax"
// PLAIN:         return

// The loops that count the steps of another end; the loop itself need not.
// ENDS:        func.func private @drop_forward({{.*}}anvl.while = {body = @drop_forward_body,
// ENDS-SAME:     cond = @drop_forward_cond, slots = 8 : i64}
// ENDS:        func.func private @drop_backward({{.*}}cond = @drop_backward_cond, ends = true,
// ENDS-SAME:     slots = 8 : i64}
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @loop(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @loop(tensor<f64>) -> tensor<f64>
    attributes {anvl.while = {cond = @below, body = @step, carry = 1 : i64}}
func.func private @below(%x: tensor<f64>) -> tensor<i1> {
  %0 = "anvl.constant"() {value = dense<10.0> : tensor<f64>} : () -> tensor<f64>
  %1 = "anvl.compare"(%x, %0) {comparison_direction = #stablehlo<comparison_direction LT>}
    : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %1 : tensor<i1>
}
func.func private @step(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.constant"() {value = dense<10.0> : tensor<f64>} : () -> tensor<f64>
  %1 = "anvl.constant"() {value = dense<3.0> : tensor<f64>} : () -> tensor<f64>
  %2 = "anvl.sub"(%0, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %3 = call @count(%2) : (tensor<f64>) -> tensor<f64>
  %4 = "anvl.mul"(%3, %3) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %5 = "anvl.add"(%x, %1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %6 = "anvl.add"(%5, %4) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %6 : tensor<f64>
}
func.func private @count(tensor<f64>) -> tensor<f64>
    attributes {anvl.while = {cond = @some, body = @less, carry = 1 : i64}}
func.func private @some(%x: tensor<f64>) -> tensor<i1> {
  %0 = "anvl.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %1 = "anvl.compare"(%x, %0) {comparison_direction = #stablehlo<comparison_direction NE>}
    : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %1 : tensor<i1>
}
func.func private @less(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %1 = "anvl.sub"(%x, %0) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
func.func @plain(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @drop(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @drop(tensor<f64>) -> tensor<f64>
    attributes {anvl.while = {cond = @some, body = @less, carry = 1 : i64}}
