// RUN: anvl-opt %s --verify-each --anvl-gradient="function=few" \
// RUN:   --anvl-gradient="function=bounded" -o %t
// RUN: filecheck %s --input-file=%t
// RUN: anvl-opt %t --anvl-control-flow -o %t.bodies
// RUN: %run %t.bodies --function=few_adjoint --args='[0.5, 11]' | %numbers %s --check-prefix=ALL
// RUN: %run %t.bodies --function=bounded_adjoint --args='[0.5, 11]' \
// RUN:   | %numbers %s --check-prefix=FIVE

// Where a loop keeps its carries: 2 places in each of 31 levels, with a loop that fills them again;
// or one place for each step that it takes at the most, and nothing to fill.  The counter, which no
// derivative depends on, has none.

// CHECK-LABEL: func.func @few_adjoint(
// CHECK:         stablehlo.while({{.*}}) : tensor<i32>, tensor<f64>, tensor<i32>, tensor<i32>, tensor<2xf64>
// CHECK:         stablehlo.while({{.*}}tensor<62xf64> attributes {anvl.ends = true, anvl.slots = 8 : i64}
// CHECK:           stablehlo.while({{.*}}anvl.max_iterations = 30 : i64
// CHECK-LABEL: func.func @bounded_adjoint(
// CHECK:         stablehlo.while({{.*}}, tensor<5xf64> attributes
// CHECK:         stablehlo.while({{.*}} : tensor<i32>, tensor<f64>, tensor<f64> attributes
// CHECK-NOT:     stablehlo.while
// CHECK:         return

// x^(n + 1) after n steps.
// ALL:       f64[] 0.000244141
// ALL-NEXT:  f64[] 0.00585938

// FIVE:      f64[] 0.015625
// FIVE-NEXT: f64[] 0.1875
func.func @few(%x: tensor<f64>, %n: tensor<i32>) -> tensor<f64> {
  %zero = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<f64> attributes {anvl.slots = 2 : i64}
  cond {
    %more = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %1 = "anvl.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = "anvl.mul"(%y, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %1, %2 : tensor<i32>, tensor<f64>
  }
  return %0#1 : tensor<f64>
}
func.func @bounded(%x: tensor<f64>, %n: tensor<i32>) -> tensor<f64> {
  %zero = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<f64> attributes {anvl.max_iterations = 5 : i64}
  cond {
    %five = "anvl.constant"() {value = dense<5> : tensor<i32>} : () -> tensor<i32>
    %most = "anvl.minimum"(%n, %five) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %more = "anvl.compare"(%i, %most) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %1 = "anvl.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = "anvl.mul"(%y, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %1, %2 : tensor<i32>, tensor<f64>
  }
  return %0#1 : tensor<f64>
}
