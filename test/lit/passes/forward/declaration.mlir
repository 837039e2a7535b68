// RUN: anvl-opt %s --verify-each --anvl-forward | filecheck %s
// RUN: anvl-opt %s --anvl-forward | %run --args='[2.0, 10.0]' \
// RUN:   | %numbers %s

// A declaration with `anvl.jvp` gets a body: it takes the arguments and a tangent for each argument
// in `wrt`, and returns the results and the tangent of each float result.

// CHECK-NOT:   anvl.jvp
// CHECK-LABEL: func.func private @cube_jvp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>, %[[T:[a-zA-Z0-9_]+]]: tensor<f64>) -> (tensor<f64>, tensor<f64>)
// CHECK-NEXT:    %[[SQUARE:.*]] = "anvl.mul"(%[[X]], %[[X]])
// CHECK-NEXT:    %[[CUBE:.*]] = "anvl.mul"(%[[SQUARE]], %[[X]])
// CHECK-NEXT:    %[[T1:.*]] = "anvl.mul"(%[[T]], %[[X]])
// CHECK-NEXT:    %[[T2:.*]] = "anvl.mul"(%[[T]], %[[X]])
// CHECK-NEXT:    %[[T12:.*]] = "anvl.add"(%[[T1]], %[[T2]])
// CHECK-NEXT:    %[[T3:.*]] = "anvl.mul"(%[[T12]], %[[X]])
// CHECK-NEXT:    %[[T4:.*]] = "anvl.mul"(%[[T]], %[[SQUARE]])
// CHECK-NEXT:    %[[TY:.*]] = "anvl.add"(%[[T3]], %[[T4]])
// CHECK-NEXT:    return %[[CUBE]], %[[TY]]
// CHECK-LABEL: func.func @main(
// CHECK:         call @cube_jvp(

// NUMBERS:      f64[] 8.0
// NUMBERS-NEXT: f64[] 120.0
func.func private @cube(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = "anvl.mul"(%0, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}

func.func private @cube_jvp(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.jvp = {callee = @cube, wrt = array<i64: 0>}}

func.func @main(%x: tensor<f64>, %t: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0:2 = call @cube_jvp(%x, %t) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#0, %0#1 : tensor<f64>, tensor<f64>
}
