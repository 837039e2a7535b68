// RUN: anvl-opt %s --verify-each --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --anvl-gradient | %run --args='[2.0, 10.0]' \
// RUN:   | %numbers %s

// A declaration with `anvl.vjp` gets a body: it takes the arguments and a cotangent for each target,
// and returns the results and the cotangent of each argument in `wrt`.

// CHECK-NOT:   anvl.vjp
// CHECK-LABEL: func.func private @cube_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>, %[[G:[a-zA-Z0-9_]+]]: tensor<f64>) -> (tensor<f64>, tensor<f64>)
// CHECK-NEXT:    %[[SQUARE:.*]] = "anvl.mul"(%[[X]], %[[X]])
// CHECK-NEXT:    %[[CUBE:.*]] = "anvl.mul"(%[[SQUARE]], %[[X]])
// CHECK-NEXT:    %[[G2:.*]] = "anvl.mul"(%[[G]], %[[X]])
// CHECK-NEXT:    %[[D1:.*]] = "anvl.mul"(%[[G]], %[[SQUARE]])
// CHECK-NEXT:    %[[HALF:.*]] = "anvl.mul"(%[[G2]], %[[X]])
// CHECK-NEXT:    %[[TWO:.*]] = "anvl.constant"() {value = dense<2.000000e+00>
// CHECK-NEXT:    %[[D2:.*]] = "anvl.mul"(%[[HALF]], %[[TWO]])
// CHECK-NEXT:    %[[DX:.*]] = "anvl.add"(%[[D1]], %[[D2]])
// CHECK-NEXT:    return %[[CUBE]], %[[DX]]
// CHECK-LABEL: func.func @main(
// CHECK:         call @cube_vjp(

// NUMBERS:      f64[] 8.0
// NUMBERS-NEXT: f64[] 120.0
func.func private @cube(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = "anvl.mul"(%0, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}

func.func private @cube_vjp(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @cube, wrt = array<i64: 0>, targets = array<i64: 0>}}

func.func @main(%x: tensor<f64>, %g: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0:2 = call @cube_vjp(%x, %g) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#0, %0#1 : tensor<f64>, tensor<f64>
}
