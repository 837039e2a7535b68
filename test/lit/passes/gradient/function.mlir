// RUN: anvl-opt %s --verify-each --anvl-gradient="function=loss wrt=0" | filecheck %s
// RUN: anvl-opt %s --anvl-gradient="function=loss wrt=0" \
// RUN:   | anvl-opt --anvl-gradient | filecheck %s --check-prefix=AGAIN
// RUN: anvl-opt %s --anvl-gradient="function=loss wrt=0" \
// RUN:   | %run --function=loss_adjoint --args='[[1.0, 2.0], [3.0, 5.0]]' \
// RUN:   | %numbers %s

// The adjoint of a function stands beside it: it takes the same, returns the results and then the
// derivatives. Nothing is built for what was not asked for (%y), and the function stays.

// CHECK-LABEL: func.func @loss_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf64> {x.name = "x"}, %[[Y:[a-zA-Z0-9_]+]]: tensor<2xf64>)
// CHECK-SAME:    -> (tensor<f64> {x.loss}, tensor<2xf64>)
// CHECK-NEXT:    %[[XY:.*]] = "anvl.mul"(%[[X]], %[[Y]])
// CHECK-NEXT:    %[[LOSS:.*]] = "anvl.sum"(%[[XY]])
// CHECK-NEXT:    %[[ONE:.*]] = "anvl.constant"
// CHECK-NEXT:    %[[G:.*]] = "anvl.broadcast_in_dim"(%[[ONE]])
// CHECK-NEXT:    %[[DX:.*]] = "anvl.mul"(%[[G]], %[[Y]])
// CHECK-NEXT:    return %[[LOSS]], %[[DX]]

// CHECK-LABEL: func.func @loss(
// CHECK-NEXT:    "anvl.mul"
// CHECK-NEXT:    "anvl.sum"
// CHECK-NEXT:    return

// Without declarations to define and without `function`, the pass changes nothing.

// AGAIN-COUNT-2: func.func
// AGAIN-NOT:     func.func

// NUMBERS:      f64[] 13.0
// NUMBERS-NEXT: f64[2] 3.0 5.0
func.func @loss(%x: tensor<2xf64> {x.name = "x"}, %y: tensor<2xf64>) -> (tensor<f64> {x.loss}) {
  %0 = "anvl.mul"(%x, %y) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %1 = "anvl.sum"(%0) {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  return %1 : tensor<f64>
}
