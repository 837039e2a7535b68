// RUN: anvl-opt %s --verify-each --anvl-vectorize="function=main size=3" | filecheck %s
// RUN: anvl-opt %s --anvl-vectorize="function=main batched=1 size=3" \
// RUN:   | filecheck %s --check-prefix=SAME
// RUN: anvl-opt %s --anvl-vectorize="function=main size=3" \
// RUN:   --anvl-vectorize="function=main_batched size=2" | filecheck %s --check-prefix=TWICE
// RUN: anvl-opt %s --anvl-vectorize="function=main size=3" --anvl-control-flow \
// RUN:   | %run --function=main_batched --args='[[1, 0, 1], [-3.0, 4.0, 5.0]]' \
// RUN:   | %numbers %s --check-prefix=VALUE
// RUN: anvl-opt %s --anvl-gradient="function=main results=none" \
// RUN:   --anvl-vectorize="function=main_adjoint size=3" --anvl-control-flow \
// RUN:   | %run --function=main_adjoint_batched --args='[[1, 0, 1], [-3.0, 4.0, 5.0]]' \
// RUN:   | %numbers %s --check-prefix=SLOPES

// Members of a batch that differ in the branch. Doubling until 100 does not end for -3: so a scan
// goes through them, and each computes its own branch.

// CHECK-LABEL: func.func @main_batched(
// CHECK-SAME:    %[[I:[a-zA-Z0-9_]+]]: tensor<3xi32>, %[[X:[a-zA-Z0-9_]+]]: tensor<3xf64>)
// CHECK-NEXT:    %[[Y:.*]] = call @member_each(%[[I]], %[[X]])
// CHECK-NEXT:    return %[[Y]]
// CHECK-LABEL: func.func private @member(
// CHECK-SAME:    %[[J:[a-zA-Z0-9_]+]]: tensor<i32>, %[[Z:[a-zA-Z0-9_]+]]: tensor<f64>)
// CHECK-NEXT:    "stablehlo.case"(%[[J]]) ({
// CHECK-NEXT:      stablehlo.while(%{{.*}} = %[[Z]])
// CHECK:       func.func private @member_each(tensor<3xi32>, tensor<3xf64>) -> tensor<3xf64>
// CHECK-SAME:    {anvl.scan = {body = @member, carry = 0 : i64, length = 3 : i64

// Where they do not differ, one branch is computed.
// SAME-LABEL:  func.func @main_batched(
// SAME:          "stablehlo.case"(%{{.*}}) ({
// SAME-NEXT:       stablehlo.while(%{{.*}}) : tensor<3xf64>

// TWICE:       func.func private @member_each(
// TWICE-SAME:    anvl.scan
// TWICE:       func.func private @member_each_batched(
// TWICE-SAME:    anvl.scan

// VALUE:       f64[3] 9.0 128.0 25.0
// SLOPES:      f64[3] -6.0 32.0 10.0
func.func @main(%i: tensor<i32>, %x: tensor<f64>) -> tensor<f64> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.while(%c = %x) : tensor<f64>
    cond {
      %most = "anvl.constant"() {value = dense<100.0> : tensor<f64>} : () -> tensor<f64>
      %more = "anvl.compare"(%c, %most) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = "anvl.add"(%c, %c) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      stablehlo.return %next : tensor<f64>
    }
    stablehlo.return %1 : tensor<f64>
  }, {
    %1 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<i32>) -> tensor<f64>
  return %0 : tensor<f64>
}
