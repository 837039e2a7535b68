// RUN: anvl-opt %s --verify-each --anvl-vectorize="function=f batched=0 size=2" | filecheck %s
// RUN: anvl-opt %s --anvl-vectorize="function=f batched=0 size=2" \
// RUN:   | anvl-opt --anvl-vectorize | filecheck %s --check-prefix=AGAIN
// RUN: anvl-opt %s --anvl-vectorize="function=f batched=0 size=2" \
// RUN:   | %run --function=f_batched --args='[[2.0, 3.0], 10.0]' \
// RUN:   | %numbers %s
// RUN: anvl-opt %s --anvl-vectorize="function=f size=1" | filecheck %s --check-prefix=ALL

// The batch of a function stands beside it, with the calls in it inlined. All of its results have
// the axis: what does not depend on a batched argument is repeated. The function stays.

// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf64> {x.name = "x"}, %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>)
// CHECK-SAME:    -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
// CHECK-NEXT:    %[[SQUARE:.*]] = "anvl.mul"(%[[X]], %[[X]])
// CHECK-NEXT:    %[[NEG:.*]] = "anvl.neg"(%[[Y]]) : (tensor<f64>)
// CHECK-NEXT:    %[[NEGS:.*]] = "anvl.broadcast_in_dim"(%[[NEG]])
// CHECK-NEXT:    return %[[SQUARE]], %[[NEGS]], %[[X]]

// CHECK-LABEL: func.func @f(
// CHECK-NEXT:    call @square
// CHECK-NEXT:    "anvl.neg"
// CHECK-NEXT:    return

// Without declarations to define and without `function`, the pass changes nothing.

// AGAIN-COUNT-3: func.func
// AGAIN-NOT:     func.func

// ALL: func.func @f_batched(%{{[a-zA-Z0-9_]+}}: tensor<1xf64> {{.*}}, %{{[a-zA-Z0-9_]+}}: tensor<1xf64>)

// NUMBERS:      f64[2] 4.0 9.0
// NUMBERS-NEXT: f64[2] -10.0 -10.0
// NUMBERS-NEXT: f64[2] 2.0 3.0
func.func private @square(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @f(%x: tensor<f64> {x.name = "x"}, %y: tensor<f64>)
    -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %0 = call @square(%x) : (tensor<f64>) -> tensor<f64>
  %1 = "anvl.neg"(%y) : (tensor<f64>) -> tensor<f64>
  return %0, %1, %x : tensor<f64>, tensor<f64>, tensor<f64>
}
