// RUN: anvl-opt %s --verify-each --anvl-roll="always=true" | filecheck %s

// A total that begins with the number that a sum begins with itself is not joined with its terms:
// 0 as a Python loop writes it, and -0, which 0 absorbs.  One that begins with 1 is.

// CHECK-LABEL: func.func @from_zero(
// CHECK:         %[[ALL:.*]] = call @from_zero_term_batch(
// CHECK-NEXT:    %[[SUM:.*]] = "anvl.sum"(%[[ALL]]) {axes = array<i64: 0>}
// CHECK-NEXT:    return %[[SUM]]
func.func @from_zero(%a: tensor<f32>) -> tensor<f32> {
  %z = "anvl.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %c1 = "anvl.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %m1 = "anvl.mul"(%a, %c1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s1 = "anvl.sin"(%m1) : (tensor<f32>) -> tensor<f32>
  %e1 = "anvl.exp"(%s1) : (tensor<f32>) -> tensor<f32>
  %q1 = "anvl.mul"(%e1, %s1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t1 = "anvl.add"(%z, %q1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c2 = "anvl.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %m2 = "anvl.mul"(%a, %c2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s2 = "anvl.sin"(%m2) : (tensor<f32>) -> tensor<f32>
  %e2 = "anvl.exp"(%s2) : (tensor<f32>) -> tensor<f32>
  %q2 = "anvl.mul"(%e2, %s2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t2 = "anvl.add"(%t1, %q2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c3 = "anvl.constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  %m3 = "anvl.mul"(%a, %c3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s3 = "anvl.sin"(%m3) : (tensor<f32>) -> tensor<f32>
  %e3 = "anvl.exp"(%s3) : (tensor<f32>) -> tensor<f32>
  %q3 = "anvl.mul"(%e3, %s3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t3 = "anvl.add"(%t2, %q3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c4 = "anvl.constant"() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>
  %m4 = "anvl.mul"(%a, %c4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s4 = "anvl.sin"(%m4) : (tensor<f32>) -> tensor<f32>
  %e4 = "anvl.exp"(%s4) : (tensor<f32>) -> tensor<f32>
  %q4 = "anvl.mul"(%e4, %s4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t4 = "anvl.add"(%t3, %q4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c5 = "anvl.constant"() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
  %m5 = "anvl.mul"(%a, %c5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s5 = "anvl.sin"(%m5) : (tensor<f32>) -> tensor<f32>
  %e5 = "anvl.exp"(%s5) : (tensor<f32>) -> tensor<f32>
  %q5 = "anvl.mul"(%e5, %s5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t5 = "anvl.add"(%t4, %q5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %t5 : tensor<f32>
}

// CHECK-LABEL: func.func @from_minus_zero(
// CHECK:         %[[ALL:.*]] = call @from_minus_zero_term_batch(
// CHECK-NEXT:    %[[SUM:.*]] = "anvl.sum"(%[[ALL]]) {axes = array<i64: 0>}
// CHECK-NEXT:    return %[[SUM]]
func.func @from_minus_zero(%a: tensor<f32>) -> tensor<f32> {
  %z = "anvl.constant"() {value = dense<-0.0> : tensor<f32>} : () -> tensor<f32>
  %c1 = "anvl.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %m1 = "anvl.mul"(%a, %c1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s1 = "anvl.sin"(%m1) : (tensor<f32>) -> tensor<f32>
  %e1 = "anvl.exp"(%s1) : (tensor<f32>) -> tensor<f32>
  %q1 = "anvl.mul"(%e1, %s1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t1 = "anvl.add"(%z, %q1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c2 = "anvl.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %m2 = "anvl.mul"(%a, %c2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s2 = "anvl.sin"(%m2) : (tensor<f32>) -> tensor<f32>
  %e2 = "anvl.exp"(%s2) : (tensor<f32>) -> tensor<f32>
  %q2 = "anvl.mul"(%e2, %s2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t2 = "anvl.add"(%t1, %q2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c3 = "anvl.constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  %m3 = "anvl.mul"(%a, %c3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s3 = "anvl.sin"(%m3) : (tensor<f32>) -> tensor<f32>
  %e3 = "anvl.exp"(%s3) : (tensor<f32>) -> tensor<f32>
  %q3 = "anvl.mul"(%e3, %s3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t3 = "anvl.add"(%t2, %q3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c4 = "anvl.constant"() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>
  %m4 = "anvl.mul"(%a, %c4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s4 = "anvl.sin"(%m4) : (tensor<f32>) -> tensor<f32>
  %e4 = "anvl.exp"(%s4) : (tensor<f32>) -> tensor<f32>
  %q4 = "anvl.mul"(%e4, %s4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t4 = "anvl.add"(%t3, %q4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c5 = "anvl.constant"() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
  %m5 = "anvl.mul"(%a, %c5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s5 = "anvl.sin"(%m5) : (tensor<f32>) -> tensor<f32>
  %e5 = "anvl.exp"(%s5) : (tensor<f32>) -> tensor<f32>
  %q5 = "anvl.mul"(%e5, %s5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t5 = "anvl.add"(%t4, %q5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %t5 : tensor<f32>
}

// CHECK-LABEL: func.func @from_one(
// CHECK:         %[[ALL:.*]] = call @from_one_term_batch(
// CHECK:         %[[TERMS:.*]] = stablehlo.concatenate %{{.*}}, %[[ALL]], dim = 0 : (tensor<1xf32>, tensor<5xf32>) -> tensor<6xf32>
// CHECK-NEXT:    %[[SUM:.*]] = "anvl.sum"(%[[TERMS]]) {axes = array<i64: 0>}
// CHECK-NEXT:    return %[[SUM]]
func.func @from_one(%a: tensor<f32>) -> tensor<f32> {
  %z = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %c1 = "anvl.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %m1 = "anvl.mul"(%a, %c1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s1 = "anvl.sin"(%m1) : (tensor<f32>) -> tensor<f32>
  %e1 = "anvl.exp"(%s1) : (tensor<f32>) -> tensor<f32>
  %q1 = "anvl.mul"(%e1, %s1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t1 = "anvl.add"(%z, %q1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c2 = "anvl.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %m2 = "anvl.mul"(%a, %c2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s2 = "anvl.sin"(%m2) : (tensor<f32>) -> tensor<f32>
  %e2 = "anvl.exp"(%s2) : (tensor<f32>) -> tensor<f32>
  %q2 = "anvl.mul"(%e2, %s2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t2 = "anvl.add"(%t1, %q2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c3 = "anvl.constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  %m3 = "anvl.mul"(%a, %c3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s3 = "anvl.sin"(%m3) : (tensor<f32>) -> tensor<f32>
  %e3 = "anvl.exp"(%s3) : (tensor<f32>) -> tensor<f32>
  %q3 = "anvl.mul"(%e3, %s3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t3 = "anvl.add"(%t2, %q3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c4 = "anvl.constant"() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>
  %m4 = "anvl.mul"(%a, %c4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s4 = "anvl.sin"(%m4) : (tensor<f32>) -> tensor<f32>
  %e4 = "anvl.exp"(%s4) : (tensor<f32>) -> tensor<f32>
  %q4 = "anvl.mul"(%e4, %s4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t4 = "anvl.add"(%t3, %q4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c5 = "anvl.constant"() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
  %m5 = "anvl.mul"(%a, %c5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s5 = "anvl.sin"(%m5) : (tensor<f32>) -> tensor<f32>
  %e5 = "anvl.exp"(%s5) : (tensor<f32>) -> tensor<f32>
  %q5 = "anvl.mul"(%e5, %s5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t5 = "anvl.add"(%t4, %q5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %t5 : tensor<f32>
}
