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

// CHECK-LABEL: func.func @main_batched(
// CHECK:         do {
// CHECK:           %[[ACTIVE:.*]] = "anvl.compare"
// CHECK:           "anvl.argmax"(%[[ACTIVE]])
// CHECK:           %[[GIVEN:.*]] = "anvl.select"(%[[ACTIVE]], %[[X:.*]], %{{.*}})
// CHECK:           stablehlo.while(
// CHECK:           "anvl.select"(%[[ACTIVE]], %{{.*}}, %[[X]])

// VALUE:       f64[3] 10.0 11.0 10.0
// SLOPES:      f64[3] 1.0 1.0 1.0

// Where the body ends whatever it is given, nothing stands in.
// PLAIN-LABEL: func.func @plain_batched(
// PLAIN-NOT:   "anvl.argmax"
// PLAIN:         return

// The loops that count the steps of another end; the loop itself need not.
// ENDS-LABEL:  func.func @plain_adjoint(
// ENDS:          stablehlo.while({{.*}} attributes {anvl.slots = 8 : i64}
// ENDS:          stablehlo.while({{.*}} attributes {anvl.ends = true, anvl.slots = 8 : i64}
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.while(%c = %x) : tensor<f64>
  cond {
    %most = "anvl.constant"() {value = dense<10.0> : tensor<f64>} : () -> tensor<f64>
    %more = "anvl.compare"(%c, %most) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %ten = "anvl.constant"() {value = dense<10.0> : tensor<f64>} : () -> tensor<f64>
    %three = "anvl.constant"() {value = dense<3.0> : tensor<f64>} : () -> tensor<f64>
    %2 = "anvl.sub"(%ten, %c) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %3 = stablehlo.while(%d = %2) : tensor<f64>
    cond {
      %nil = "anvl.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
      %some = "anvl.compare"(%d, %nil) {comparison_direction = #stablehlo<comparison_direction NE>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %some : tensor<i1>
    } do {
      %unit = "anvl.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
      %less = "anvl.sub"(%d, %unit) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      stablehlo.return %less : tensor<f64>
    }
    %4 = "anvl.mul"(%3, %3) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %5 = "anvl.add"(%c, %three) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %6 = "anvl.add"(%5, %4) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %6 : tensor<f64>
  }
  return %0 : tensor<f64>
}
func.func @plain(%x: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.while(%d = %x) : tensor<f64>
  cond {
    %nil = "anvl.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
    %some = "anvl.compare"(%d, %nil) {comparison_direction = #stablehlo<comparison_direction NE>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %some : tensor<i1>
  } do {
    %unit = "anvl.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
    %less = "anvl.sub"(%d, %unit) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %less : tensor<f64>
  }
  return %0 : tensor<f64>
}
