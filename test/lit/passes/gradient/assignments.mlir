// RUN: anvl-opt %s --anvl-gradient=function=last | %run --function=last_adjoint --args="[[[1,2,3],[4,5,6],[7,8,9]]]" | %numbers %s --check-prefix=LAST
// RUN: anvl-opt %s --anvl-gradient=function=irrelevant --cse | filecheck %s --check-prefix=IRRELEVANT
// RUN: anvl-opt %s --anvl-verify-gradient=function=last -o %t 2>&1 | filecheck %s --check-prefix=VERIFIED

// What has a name only is no op, and what the target does not depend on has no adjoint: two cases
// of the document on reverse mode in Relax (TVM, 2023).

// Its last example, lv1 = x; lv2 = add(lv1, x); lv3 = add(lv2, lv1); sum, gives 3 everywhere.

// VERIFIED:   x: tensor<3x3xf64>, {{.*}}, ok
// LAST:      f64[] 135.0
// LAST-NEXT: f64[3,3] 3.0 3.0 3.0 3.0 3.0 3.0 3.0 3.0 3.0
func.func @last(%x: tensor<3x3xf64>) -> tensor<f64> {
  %lv1 = func.call @assigned(%x) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %lv2 = "anvl.add"(%lv1, %x) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %lv3 = "anvl.add"(%lv2, %lv1) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %lv4 = "anvl.sum"(%lv3) {axes = array<i64: 0, 1>} : (tensor<3x3xf64>) -> tensor<f64>
  return %lv4 : tensor<f64>
}
func.func private @assigned(%x: tensor<3x3xf64>) -> tensor<3x3xf64> {
  return %x : tensor<3x3xf64>
}

// What the target does not depend on has no adjoint: nothing of `sub` and of its sum.

// IRRELEVANT-LABEL: func.func @irrelevant_adjoint(
// IRRELEVANT:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// IRRELEVANT-NEXT:    %[[G:.*]] = "anvl.broadcast_in_dim"(%[[ONE]])
// IRRELEVANT-NEXT:    return %{{.*}}, %[[G]], %[[G]] :
func.func @irrelevant(%x: tensor<5x5xf32>, %y: tensor<5x5xf32>) -> tensor<f32> {
  %lv0 = "anvl.add"(%x, %y) : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  %lv1 = "anvl.sub"(%x, %y) : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  %lv2 = "anvl.sum"(%lv1) {axes = array<i64: 0, 1>} : (tensor<5x5xf32>) -> tensor<f32>
  %gv0 = "anvl.sum"(%lv0) {axes = array<i64: 0, 1>} : (tensor<5x5xf32>) -> tensor<f32>
  return %gv0 : tensor<f32>
}
