// RUN: anvl-opt %s --anvl-simplify-control-flow | filecheck %s
// RUN: anvl-opt %s --anvl-simplify-control-flow --anvl-control-flow \
// RUN:   | %run --function=all --args='[3.0, [2.0]]' | %numbers %s
// RUN: anvl-opt %s --anvl-control-flow \
// RUN:   | %run --function=all --args='[3.0, [2.0]]' | %numbers %s

// Loops of no step and of one are not there any more; of more, they are.

// CHECK-LABEL: func.func @all(
// CHECK-SAME:    %[[C:[a-zA-Z0-9_]+]]: tensor<f64>, %[[XS:[a-zA-Z0-9_]+]]: tensor<1xf64>)
// CHECK:         %[[X:.*]] = "anvl.reshape"(%[[XS]])
// CHECK:         %[[ONE:.*]] = call @step(%[[C]], %[[X]])
// CHECK:         %[[NEXT:.*]] = "anvl.mul"(%[[C]], %[[C]])
// CHECK:         %[[MORE:.*]]:2 = stablehlo.while(
// CHECK:         return %[[C]], %[[ONE]], %[[C]], %[[NEXT]], %[[MORE]]#1
// CHECK-NOT:     @scan_0

// NUMBERS:      f64[] 3.0
// NUMBERS-NEXT: f64[] 6.0
// NUMBERS-NEXT: f64[] 3.0
// NUMBERS-NEXT: f64[] 9.0
// NUMBERS-NEXT: f64[] 81.0
func.func @all(%c: tensor<f64>, %xs: tensor<1xf64>)
    -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %none = "anvl.constant"() {value = dense<0.0> : tensor<0xf64>} : () -> tensor<0xf64>
  %i = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %j = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
  %k = "anvl.constant"() {value = dense<2> : tensor<i32>} : () -> tensor<i32>
  %0 = call @scan_0(%c, %none) : (tensor<f64>, tensor<0xf64>) -> tensor<f64>
  %1 = call @scan_1(%c, %xs) : (tensor<f64>, tensor<1xf64>) -> tensor<f64>
  %2:2 = stablehlo.while(%a = %k, %b = %c) : tensor<i32>, tensor<f64>
  cond {
    %end = "anvl.constant"() {value = dense<2> : tensor<i32>} : () -> tensor<i32>
    %more = "anvl.compare"(%a, %end) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %next = "anvl.add"(%a, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %square = "anvl.mul"(%b, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %next, %square : tensor<i32>, tensor<f64>
  }
  %3:2 = stablehlo.while(%a = %j, %b = %c) : tensor<i32>, tensor<f64>
  cond {
    %end = "anvl.constant"() {value = dense<2> : tensor<i32>} : () -> tensor<i32>
    %more = "anvl.compare"(%a, %end) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %next = "anvl.add"(%a, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %square = "anvl.mul"(%b, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %next, %square : tensor<i32>, tensor<f64>
  }
  %4:2 = stablehlo.while(%a = %i, %b = %c) : tensor<i32>, tensor<f64>
  cond {
    %end = "anvl.constant"() {value = dense<2> : tensor<i32>} : () -> tensor<i32>
    %more = "anvl.compare"(%a, %end) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %next = "anvl.add"(%a, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %square = "anvl.mul"(%b, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %next, %square : tensor<i32>, tensor<f64>
  }
  return %0, %1, %2#1, %3#1, %4#1 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}

func.func private @scan_0(tensor<f64>, tensor<0xf64>) -> tensor<f64> attributes {anvl.scan = {
  body = @step, carry = 1 : i64, xs = 1 : i64, length = 0 : i64, reverse = false
}}
func.func private @scan_1(tensor<f64>, tensor<1xf64>) -> tensor<f64> attributes {anvl.scan = {
  body = @step, carry = 1 : i64, xs = 1 : i64, length = 1 : i64, reverse = false
}}
func.func private @step(%c: tensor<f64>, %x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%c, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
