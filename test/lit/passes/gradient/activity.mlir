// RUN: anvl-opt %s --anvl-gradient="function=f" | filecheck %s

// Only ops on a path from an argument to the target are visited: not the op on integers, not the
// one that the target does not need. An argument that the target does not depend on gets zeros, and
// a result that only moves with an integer is a constant.

// CHECK-LABEL: func.func @f_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>, %[[Y:[a-zA-Z0-9_]+]]: tensor<3xf64>, %[[I:[a-zA-Z0-9_]+]]: tensor<i32>)
// CHECK-SAME:    -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<3xf64>)
// CHECK:         %[[SINE:.*]] = "anvl.sin"(%[[X]])
// CHECK:         "anvl.exp"(%[[X]])
// CHECK:         %[[N:.*]] = "anvl.convert"
// CHECK:         %[[Z:.*]] = "anvl.mul"(%[[SINE]], %[[N]])
// CHECK-NEXT:    %[[ONE:.*]] = "anvl.constant"
// CHECK-NEXT:    %[[G:.*]] = "anvl.mul"(%[[ONE]], %[[N]])
// CHECK-NEXT:    %[[COS:.*]] = "anvl.cos"(%[[X]])
// CHECK-NEXT:    %[[DX:.*]] = "anvl.mul"(%[[G]], %[[COS]])
// CHECK-NEXT:    %[[DY:.*]] = "anvl.constant"() {value = dense<0.0{{.*}}tensor<3xf64>}
// CHECK-NEXT:    return %[[Z]], {{.*}}, %[[DX]], %[[DY]]
func.func @f(%x: tensor<f64>, %y: tensor<3xf64>, %i: tensor<i32>) -> (tensor<f64>, tensor<f64>) {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  %1 = "anvl.exp"(%x) : (tensor<f64>) -> tensor<f64>
  %2 = "anvl.add"(%i, %i) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %3 = "anvl.convert"(%2) : (tensor<i32>) -> tensor<f64>
  %4 = "anvl.mul"(%0, %3) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %4, %1 : tensor<f64>, tensor<f64>
}
