// RUN: anvl-opt %s --split-input-file --anvl-gradient="function=f" | filecheck %s

// A value that is the adjoint of several has the name of an argument, if one is among them, else of
// the last; a sum of contributions has that of what they add up to; zeros for what nothing reaches
// have one too.

// CHECK-LABEL: func.func @f_adjoint(%x: tensor<f64>, %y: tensor<f64>, %z: tensor<f64>)
// CHECK:         %x_adjoint = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK-NEXT:    %z_adjoint = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK-NEXT:    return %s, %x_adjoint, %x_adjoint, %z_adjoint
func.func @f(%x: tensor<f64>, %y: tensor<f64>, %z: tensor<f64>) -> tensor<f64> {
  %s = "anvl.add"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %s : tensor<f64>
}

// -----

// The last example of the Relax document: x is used three times.

// CHECK-LABEL: func.func @f_adjoint(%x: tensor<3xf64>)
// CHECK:         %lv3_adjoint = "anvl.broadcast_in_dim"
// CHECK-NEXT:    %lv2_partial = "anvl.add"(%lv3_adjoint, %lv3_adjoint)
// CHECK-NEXT:    %x_adjoint = "anvl.add"(%lv2_partial, %lv3_adjoint)
func.func @f(%x: tensor<3xf64>) -> tensor<f64> {
  %lv2 = "anvl.add"(%x, %x) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %lv3 = "anvl.add"(%lv2, %x) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %s = "anvl.sum"(%lv3) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
  return %s : tensor<f64>
}
