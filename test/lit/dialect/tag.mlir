// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=tag tags=square" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=tag wrt=0 tags=square" \
// RUN:   | %run --function=tag_adjoint --args='[3.0]' \
// RUN:   | %numbers %s

// A tag names a value: (x^2)^2 has the slope 2 x^2 in x^2. Nothing of it is left afterwards.

// CHECK-LABEL: func.func @tag_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[XX:.*]] = "anvl.mul"(%[[X]], %[[X]])
// CHECK:         %[[SQUARE:.*]] = "anvl.tag"(%[[XX]]) {label = "square"}
// CHECK:         %[[Y:.*]] = "anvl.mul"(%[[SQUARE]], %[[SQUARE]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK-NEXT:    %[[HALF:.*]] = "anvl.mul"(%[[ONE]], %[[SQUARE]])
// CHECK-NEXT:    %[[TWO:.*]] = "anvl.constant"() {value = dense<2.000000e+00>
// CHECK-NEXT:    %[[DSQUARE:.*]] = "anvl.mul"(%[[HALF]], %[[TWO]])
// CHECK-NEXT:    return %[[Y]], %[[DSQUARE]]

// HLO-LABEL: func.func @tag(
// HLO-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// HLO-NEXT:    %[[SQUARE:.*]] = stablehlo.multiply %[[X]], %[[X]]
// HLO-NEXT:    %[[Y:.*]] = stablehlo.multiply %[[SQUARE]], %[[SQUARE]]
// HLO-NEXT:    return %[[Y]]

// NUMBERS: f64[] 81.0
// NUMBERS-NEXT: f64[] 108.0
// NUMBERS-NEXT: f64[] 18.0
func.func @tag(%x: tensor<f64>) -> tensor<f64> {
  %xx = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %square = "anvl.tag"(%xx) {label = "square"} : (tensor<f64>) -> tensor<f64>
  %y = "anvl.mul"(%square, %square) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
