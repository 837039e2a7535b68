// RUN: anvl-opt %s --verify-each --anvl-roll="always=true" | filecheck %s
// RUN: anvl-opt %s --verify-each --anvl-roll="always=true" --anvl-vectorize --anvl-inline | filecheck %s --check-prefix=INLINE

// Terms that do not depend on each other become a batch, and their sum begins with the first total,
// so that numbers are added in the order of the text.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[A:[a-z0-9]+]]: tensor<f32>, %[[B:[a-z0-9]+]]: tensor<f32>
// CHECK:         %[[N:.*]] = "anvl.constant"() {value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00]> : tensor<5xf32>}
// CHECK:         %[[ALL:.*]] = call @main_term_batch(%[[N]], %[[A]]) : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
// CHECK:         %[[FIRST:.*]] = "anvl.reshape"(%[[B]]) : (tensor<f32>) -> tensor<1xf32>
// CHECK:         %[[TERMS:.*]] = stablehlo.concatenate %[[FIRST]], %[[ALL]], dim = 0
// CHECK:         %[[SUM:.*]] = "anvl.sum"(%[[TERMS]]) {axes = array<i64: 0>}
// CHECK-NEXT:    return %[[SUM]]
// CHECK-LABEL: func.func private @main_term(
// CHECK-NOT:     anvl.add
// CHECK:       func.func private @main_term_batch({{.*}}) -> tensor<5xf32> attributes {anvl.vmap = {batched = array<i64: 0>, callee = @main_term, results = array<i64: 0>, size = 5 : i64}}
// INLINE-COUNT-1: anvl.sin
// INLINE-NOT: call
func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %c1 = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %m1 = "anvl.mul"(%a, %c1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s1 = "anvl.sin"(%m1) : (tensor<f32>) -> tensor<f32>
  %e1 = "anvl.exp"(%s1) : (tensor<f32>) -> tensor<f32>
  %q1 = "anvl.mul"(%e1, %s1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t1 = "anvl.add"(%b, %q1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c2 = "anvl.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %m2 = "anvl.mul"(%a, %c2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s2 = "anvl.sin"(%m2) : (tensor<f32>) -> tensor<f32>
  %e2 = "anvl.exp"(%s2) : (tensor<f32>) -> tensor<f32>
  %q2 = "anvl.mul"(%e2, %s2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t2 = "anvl.add"(%t1, %q2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c3 = "anvl.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %m3 = "anvl.mul"(%a, %c3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s3 = "anvl.sin"(%m3) : (tensor<f32>) -> tensor<f32>
  %e3 = "anvl.exp"(%s3) : (tensor<f32>) -> tensor<f32>
  %q3 = "anvl.mul"(%e3, %s3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t3 = "anvl.add"(%t2, %q3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c4 = "anvl.constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  %m4 = "anvl.mul"(%a, %c4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s4 = "anvl.sin"(%m4) : (tensor<f32>) -> tensor<f32>
  %e4 = "anvl.exp"(%s4) : (tensor<f32>) -> tensor<f32>
  %q4 = "anvl.mul"(%e4, %s4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t4 = "anvl.add"(%t3, %q4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c5 = "anvl.constant"() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>
  %m5 = "anvl.mul"(%a, %c5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s5 = "anvl.sin"(%m5) : (tensor<f32>) -> tensor<f32>
  %e5 = "anvl.exp"(%s5) : (tensor<f32>) -> tensor<f32>
  %q5 = "anvl.mul"(%e5, %s5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t5 = "anvl.add"(%t4, %q5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %t5 : tensor<f32>
}
