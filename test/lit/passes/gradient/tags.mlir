// RUN: anvl-opt %s --verify-each --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --anvl-gradient --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --anvl-gradient | %run --args='[3.0, 2.0]' | %numbers %s
// RUN: anvl-opt %s --verify-each --anvl-gradient="function=loss tags=square" \
// RUN:   | filecheck %s --check-prefix=TEXT
// RUN: anvl-opt %s --anvl-gradient="function=outer wrt=1 tags=square,cube" \
// RUN:   | %run --function=outer_adjoint --args='[3.0, 2.0]' | %numbers %s --check-prefix=CALLED

// With `tags`, the adjoints of the values of these names stand behind those of the arguments. The
// loss x^2 y has the slope 2xy in x, and y in the square.

// CHECK-NOT:   anvl.vjp
// CHECK-LABEL: func.func private @loss_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>, %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>, %[[G:[a-zA-Z0-9_]+]]: tensor<f64>)
// CHECK:         %[[XX:.*]] = "anvl.mul"(%[[X]], %[[X]])
// CHECK:         %[[SQUARE:.*]] = "anvl.tag"(%[[XX]]) {label = "square"}
// CHECK:         %[[LOSS:.*]] = "anvl.mul"(%[[SQUARE]], %[[Y]])
// CHECK:         %[[DSQUARE:.*]] = "anvl.mul"(%[[G]], %[[Y]])
// CHECK:         %[[HALF:.*]] = "anvl.mul"(%[[DSQUARE]], %[[X]])
// CHECK:         %[[TWO:.*]] = "anvl.constant"() {value = dense<2.000000e+00>
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[HALF]], %[[TWO]])
// CHECK-NEXT:    return %[[LOSS]], %[[DX]], %[[DSQUARE]]

// NUMBERS:      f64[] 18.0
// NUMBERS-NEXT: f64[] 12.0
// NUMBERS-NEXT: f64[] 2.0

// Without `wrt` beside them, nothing else is differentiated.

// TEXT-LABEL: func.func @loss_adjoint(
// TEXT-SAME:    -> (tensor<f64>, tensor<f64>)

// Tags of what is called are found, and what nothing reaches has zeros: x^2 y and x^3.

// CALLED:      f64[] 18.0
// CALLED-NEXT: f64[] 9.0
// CALLED-NEXT: f64[] 2.0
// CALLED-NEXT: f64[] 0.0
func.func private @loss_vjp(tensor<f64>, tensor<f64>, tensor<f64>)
    -> (tensor<f64>, tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @loss, wrt = array<i64: 0>, targets = array<i64: 0>,
                            tags = ["square"]}}

func.func @loss(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %xx = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %square = "anvl.tag"(%xx) {label = "square"} : (tensor<f64>) -> tensor<f64>
  %loss = "anvl.mul"(%square, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %loss : tensor<f64>
}
func.func @outer(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %0 = call @loss(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = "anvl.tag"(%0) {label = "cube"} : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @main(%x: tensor<f64>, %y: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %one = "anvl.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0:3 = call @loss_vjp(%x, %y, %one)
    : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
  return %0#0, %0#1, %0#2 : tensor<f64>, tensor<f64>, tensor<f64>
}
