// RUN: anvl-opt %s --verify-each --anvl-gradient="function=f wrt=0 transpose" | filecheck %s
// RUN: anvl-opt %s --anvl-gradient="function=f wrt=0 transpose" \
// RUN:   | %run --function=f_adjoint --args='[2.0, 5.0, 7.0]' \
// RUN:   | %numbers %s
// RUN: anvl-opt %s --verify-each --anvl-gradient | filecheck %s --check-prefix=TWICE
// RUN: anvl-opt %s --anvl-gradient | anvl-opt --anvl-gradient | filecheck %s --check-prefix=TWICE

// The transpose of a function that is linear in %x takes what it is not linear in, and cotangents of
// the results (-cx, cx); nothing of the function itself is left but what c needs: c (g1 - g0).

// CHECK-LABEL: func.func @f_adjoint(
// CHECK-SAME:    %[[B:[a-zA-Z0-9_]+]]: tensor<f64> {x.name = "b"}, %[[G0:[a-zA-Z0-9_]+]]: tensor<f64>,
// CHECK-SAME:    %[[G1:[a-zA-Z0-9_]+]]: tensor<f64>) -> tensor<f64> {
// CHECK-NEXT:    %[[C:.*]] = "anvl.sin"(%[[B]])
// CHECK-NEXT:    %[[NEG:.*]] = "anvl.neg"(%[[G0]])
// CHECK-NEXT:    %[[G:.*]] = "anvl.add"(%[[G1]], %[[NEG]])
// CHECK-NEXT:    %[[DX:.*]] = "anvl.mul"(%[[G]], %[[C]])
// CHECK-NEXT:    return %[[DX]]

// NUMBERS: f64[] 1.81859

// Declared, and the transpose of the transpose is the function, but for what it returns.

// TWICE-NOT:   anvl.linear_transpose
// TWICE-LABEL: func.func private @again(
// TWICE-SAME:    %[[B:[a-zA-Z0-9_]+]]: tensor<f64> {x.name = "b"}, %[[X:[a-zA-Z0-9_]+]]: tensor<f64>) -> (tensor<f64>, tensor<f64>)
// TWICE:         %[[C:.*]] = "anvl.sin"(%[[B]])
// TWICE:         %[[CX:.*]] = "anvl.mul"(%[[X]], %[[C]])
// TWICE:         %[[Y:.*]] = "anvl.neg"(%[[CX]])
// TWICE:         return %[[Y]], %[[CX]]
// TWICE-NOT:   anvl.linear_transpose
func.func @f(%x: tensor<f64> {x.name = "x"}, %b: tensor<f64> {x.name = "b"})
    -> (tensor<f64> {x.first}, tensor<f64>) {
  %c = "anvl.sin"(%b) : (tensor<f64>) -> tensor<f64>
  %cx = "anvl.mul"(%x, %c) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %y = "anvl.neg"(%cx) : (tensor<f64>) -> tensor<f64>
  return %y, %cx : tensor<f64>, tensor<f64>
}
func.func private @again(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.linear_transpose = {callee = @transposed, wrt = array<i64: 1, 2>}}
func.func private @transposed(tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
    attributes {anvl.linear_transpose = {callee = @f, wrt = array<i64: 0>}}
