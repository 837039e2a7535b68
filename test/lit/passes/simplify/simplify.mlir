// RUN: anvl-opt %s --verify-each --anvl-simplify | filecheck %s
// RUN: anvl-opt %s --verify-each --anvl-simplify --anvl-simplify | filecheck %s

// What is computed twice is computed once, in either order of a product; what nobody uses is gone,
// with what only that used. Doing it again changes nothing.

// CHECK-LABEL: func.func @shared(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-NEXT:    %[[SIN:.*]] = "anvl.sin"(%[[X]])
// CHECK-NEXT:    %[[MUL:.*]] = "anvl.mul"(%[[SIN]], %[[X]])
// CHECK-NEXT:    return %[[MUL]], %[[MUL]]
func.func @shared(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  %1 = "anvl.mul"(%0, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %2 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  %3 = "anvl.mul"(%x, %2) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %unused = "anvl.exp"(%3) : (tensor<f64>) -> tensor<f64>
  %unused_too = "anvl.cos"(%unused) : (tensor<f64>) -> tensor<f64>
  return %1, %3 : tensor<f64>, tensor<f64>
}

// x * 1, -(-x), 1 x -1 and x - 0 are simpler; so is a sum with a negative, once that is simple.

// CHECK-LABEL: func.func @numbers(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf64>, %[[Y:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK-NEXT:    %[[SUB:.*]] = "anvl.sub"(%[[X]], %[[Y]])
// CHECK-NEXT:    return %[[SUB]], %[[X]]
func.func @numbers(%x: tensor<2xf64>, %y: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  %one = "anvl.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %minus = "anvl.neg"(%one) : (tensor<f64>) -> tensor<f64>
  %ones = "anvl.broadcast_in_dim"(%minus) {broadcast_dimensions = array<i64>} : (tensor<f64>) -> tensor<2xf64>
  %0 = "anvl.mul"(%ones, %y) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %1 = "anvl.add"(%0, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<2xf64>} : () -> tensor<2xf64>
  %2 = "anvl.sub"(%x, %zero) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %3 = "anvl.neg"(%2) : (tensor<2xf64>) -> tensor<2xf64>
  %4 = "anvl.neg"(%3) : (tensor<2xf64>) -> tensor<2xf64>
  return %1, %4 : tensor<2xf64>, tensor<2xf64>
}

// Elements that are moved twice are moved once, and not at all where they come back.

// CHECK-LABEL: func.func @moved(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x3xf64>
// CHECK-NEXT:    %[[Y:.*]] = "anvl.broadcast_in_dim"(%[[X]]) {broadcast_dimensions = array<i64: 2, 3>}
// CHECK-SAME:      -> tensor<5x4x2x3xf64>
// CHECK-NEXT:    return %[[X]], %[[X]], %[[Y]]
func.func @moved(%x: tensor<2x3xf64>)
    -> (tensor<2x3xf64>, tensor<2x3xf64>, tensor<5x4x2x3xf64>) {
  %0 = "anvl.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<2x3xf64>) -> tensor<3x2xf64>
  %1 = "anvl.transpose"(%0) {permutation = array<i64: 1, 0>} : (tensor<3x2xf64>) -> tensor<2x3xf64>
  %2 = "anvl.reshape"(%1) : (tensor<2x3xf64>) -> tensor<6xf64>
  %3 = "anvl.reshape"(%2) : (tensor<6xf64>) -> tensor<2x3xf64>
  %4 = "anvl.broadcast_in_dim"(%3) {broadcast_dimensions = array<i64: 1, 2>} : (tensor<2x3xf64>) -> tensor<4x2x3xf64>
  %5 = "anvl.broadcast_in_dim"(%4) {broadcast_dimensions = array<i64: 1, 2, 3>} : (tensor<4x2x3xf64>) -> tensor<5x4x2x3xf64>
  return %1, %3, %5 : tensor<2x3xf64>, tensor<2x3xf64>, tensor<5x4x2x3xf64>
}

// A choice that is known, and one between two that are alike; the parts of what was put together.

// CHECK-LABEL: func.func @chosen(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf64>, %[[Y:[a-zA-Z0-9_]+]]: tensor<2xf64>, %[[P:[a-zA-Z0-9_]+]]: tensor<2xi1>
// CHECK-NEXT:    return %[[X]], %[[Y]], %[[Y]], %[[X]], %[[Y]]
func.func @chosen(%x: tensor<2xf64>, %y: tensor<2xf64>, %p: tensor<2xi1>)
    -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %true = "anvl.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %false = "anvl.constant"() {value = dense<false> : tensor<2xi1>} : () -> tensor<2xi1>
  %0 = "anvl.select"(%true, %x, %y) : (tensor<i1>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %1 = "anvl.select"(%false, %x, %y) : (tensor<2xi1>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %2 = "anvl.select"(%p, %y, %1) : (tensor<2xi1>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %3 = "anvl.complex"(%x, %y) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xcomplex<f64>>
  %4 = "anvl.real"(%3) : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %5 = "anvl.imag"(%3) : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  return %0, %1, %2, %4, %5 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}
