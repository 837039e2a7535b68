// RUN: anvl-opt %s --verify-each --anvl-forward="function=f" | filecheck %s

// Without `wrt`, all float arguments move. Only ops on a path from one of them to a float result are
// visited: not the one that nothing needs, not the one on integers; an argument that is returned
// unchanged has the tangent that it was given.

// CHECK-LABEL: func.func @f_tangent(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>, %[[I:[a-zA-Z0-9_]+]]: tensor<i32>, %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>,
// CHECK-SAME:    %[[TX:[a-zA-Z0-9_]+]]: tensor<f64>, %[[TY:[a-zA-Z0-9_]+]]: tensor<f64>)
// CHECK:         "anvl.sin"(%[[X]])
// CHECK:         %[[N:.*]] = "anvl.convert"
// CHECK:         %[[Z:.*]] = "anvl.mul"(%[[X]], %[[N]])
// CHECK-NEXT:    %[[TZ:.*]] = "anvl.mul"(%[[TX]], %[[N]])
// CHECK-NEXT:    return %[[Z]], %[[Y]], %[[I]], %[[TZ]], %[[TY]]
func.func @f(%x: tensor<f64>, %i: tensor<i32>, %y: tensor<f64>)
    -> (tensor<f64>, tensor<f64>, tensor<i32>) {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  %1 = "anvl.convert"(%i) : (tensor<i32>) -> tensor<f64>
  %2 = "anvl.mul"(%x, %1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %2, %y, %i : tensor<f64>, tensor<f64>, tensor<i32>
}
