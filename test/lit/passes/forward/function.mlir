// RUN: anvl-opt %s --verify-each --anvl-forward="function=f wrt=0" | filecheck %s
// RUN: anvl-opt %s --anvl-forward="function=f wrt=0" \
// RUN:   | anvl-opt --anvl-forward | filecheck %s --check-prefix=AGAIN
// RUN: anvl-opt %s --anvl-forward="function=f wrt=0" \
// RUN:   | %run --function=f_tangent --args='[2.0, [3.0, 5.0], 7, 10.0]' \
// RUN:   | %numbers %s

// The tangent of a function stands beside it, with the calls in it inlined. What does not move has
// a tangent of zeros and costs no op; integers have none at all; the function stays.

// CHECK-LABEL: func.func @f_tangent(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64> {x.name = "x"}, %[[Y:[a-zA-Z0-9_]+]]: tensor<2xf64>,
// CHECK-SAME:    %[[N:[a-zA-Z0-9_]+]]: tensor<i32>, %[[T:[a-zA-Z0-9_]+]]: tensor<f64>)
// CHECK-SAME:    -> (tensor<f64>, tensor<2xf64>, tensor<i32>, tensor<f64>, tensor<2xf64>)
// CHECK-NEXT:    %[[SQUARE:.*]] = "anvl.mul"(%[[X]], %[[X]])
// CHECK-NEXT:    %[[EXP:.*]] = "anvl.exp"(%[[Y]])
// CHECK-NEXT:    %[[T1:.*]] = "anvl.mul"(%[[T]], %[[X]])
// CHECK-NEXT:    %[[T2:.*]] = "anvl.mul"(%[[T]], %[[X]])
// CHECK-NEXT:    %[[T12:.*]] = "anvl.add"(%[[T1]], %[[T2]])
// CHECK-NEXT:    %[[ZEROS:.*]] = "anvl.constant"() {value = dense<0.0{{.*}}tensor<2xf64>}
// CHECK-NEXT:    return %[[SQUARE]], %[[EXP]], %[[N]], %[[T12]], %[[ZEROS]]

// CHECK-LABEL: func.func @f(
// CHECK-NEXT:    call @square
// CHECK-NEXT:    "anvl.exp"
// CHECK-NEXT:    return

// Without declarations to define and without `function`, the pass changes nothing.

// AGAIN-COUNT-3: func.func
// AGAIN-NOT:     func.func

// NUMBERS:      f64[] 4.0
// NUMBERS-NEXT: f64[2] 20.0855 148.413
// NUMBERS-NEXT: i32[] 7
// NUMBERS-NEXT: f64[] 40.0
// NUMBERS-NEXT: f64[2] 0.0 0.0
func.func private @square(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @f(%x: tensor<f64> {x.name = "x"}, %y: tensor<2xf64>, %n: tensor<i32>)
    -> (tensor<f64>, tensor<2xf64>, tensor<i32>) {
  %0 = call @square(%x) : (tensor<f64>) -> tensor<f64>
  %1 = "anvl.exp"(%y) : (tensor<2xf64>) -> tensor<2xf64>
  return %0, %1, %n : tensor<f64>, tensor<2xf64>, tensor<i32>
}
