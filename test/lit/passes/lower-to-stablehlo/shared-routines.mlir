// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo=platform=elsewhere | filecheck %s --check-prefix=ELSEWHERE
// RUN: anvl-opt %s --anvl-lower-to-stablehlo \
// RUN:   | %run --function=shared --args='[[[2.0, 1.0], [0.0, 4.0]], [[4.0], [8.0]]]' \
// RUN:   | %numbers %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo \
// RUN:   | %run --function=in_a_loop --args='[[[2.0, 1.0], [0.0, 4.0]], [[4.0], [8.0]]]' \
// RUN:   | %numbers %s --check-prefix=BODY

// What calls a routine, or loops, is done once for the same operands: also as a part of others,
// and where an operand is written twice.

// CHECK-LABEL: func.func private @lu(
// CHECK-COUNT-1: stablehlo.custom_call @lapack_dgetrf_ffi
// CHECK-NOT:     @lapack_dgetrf_ffi
// CHECK-LABEL: func.func @shared(
// CHECK-SAME:    %[[A:[a-zA-Z0-9_]+]]: tensor<2x2xf64>, %[[B:[a-zA-Z0-9_]+]]: tensor<2x1xf64>
// CHECK:         %[[LU:.*]]:3 = call @lu(%[[A]])
// CHECK:         %[[X:.*]] = call @[[SOLVE:solve[a-zA-Z0-9_]*]](%[[B]], %[[LU]]#0, %[[LU]]#2)
// CHECK-NOT:     call @lu(%[[A]])
// CHECK:         call @[[SOLVE]](%[[X]], %[[LU]]#0, %[[LU]]#2)
// CHECK:         call @slogdet(%[[LU]]#0, %[[LU]]#1)
// CHECK:         %[[AT:.*]] = stablehlo.transpose %[[A]]
// CHECK:         %[[OTHER:.*]]:3 = call @lu(%[[AT]])
// CHECK:         %[[Y:.*]] = call @[[SOLVE]](%[[B]], %[[OTHER]]#0, %[[OTHER]]#2)
// CHECK-NOT:     call
// CHECK:         return %{{.*}}, %{{.*}}#0, %{{.*}}#1, %[[Y]], %[[Y]]

// ELSEWHERE-LABEL: func.func private @lu(
// ELSEWHERE:         stablehlo.while
// ELSEWHERE-LABEL: func.func @shared(
// ELSEWHERE-COUNT-2: call @lu(
// ELSEWHERE-NOT:     call @lu(
// ELSEWHERE:         return

// NUMBERS:      f64[2,1] 0.25 0.5
// NUMBERS-NEXT: f64[] 1.0
// NUMBERS-NEXT: f64[] 2.07944
// NUMBERS-NEXT: f64[2,1] 2.0 1.5
// NUMBERS-NEXT: f64[2,1] 2.0 1.5
func.func @shared(%a: tensor<2x2xf64>, %b: tensor<2x1xf64>)
    -> (tensor<2x1xf64>, tensor<f64>, tensor<f64>, tensor<2x1xf64>, tensor<2x1xf64>) {
  %unused:3 = "anvl.lu"(%a) : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xi32>, tensor<2xi32>)
  %x = "anvl.solve"(%a, %b) {transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  %z = "anvl.solve"(%a, %x) {transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  %sign, %log = "anvl.slogdet"(%a) : (tensor<2x2xf64>) -> (tensor<f64>, tensor<f64>)
  %t0 = "anvl.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %y0 = "anvl.solve"(%t0, %b) {transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  %t1 = "anvl.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %y1 = "anvl.solve"(%t1, %b) {transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  return %z, %sign, %log, %y0, %y1 : tensor<2x1xf64>, tensor<f64>, tensor<f64>, tensor<2x1xf64>, tensor<2x1xf64>
}

// A call whose results nobody uses is no call, and a function that nobody calls is not there.

// CHECK-LABEL: func.func @unused(
// CHECK-NEXT:    return
// CHECK-NOT:   @cholesky
func.func @unused(%a: tensor<2x2xf64>) {
  %l = "anvl.cholesky"(%a) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  return
}

// In a loop there are calls as around it.

// CHECK-LABEL: func.func @in_a_loop(
// CHECK:         stablehlo.while
// CHECK:           %[[LU:.*]]:3 = func.call @lu(
// CHECK:           func.call @solve(%{{.*}}, %[[LU]]#0, %[[LU]]#2)
// CHECK:         return

// BODY: f64[2,1] 0.25 0.5
func.func @in_a_loop(%a: tensor<2x2xf64>, %b: tensor<2x1xf64>) -> tensor<2x1xf64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %x = %b) : tensor<i32>, tensor<2x1xf64>
  cond {
    %go = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %y = "anvl.solve"(%a, %x) {transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
    stablehlo.return %next, %y : tensor<i32>, tensor<2x1xf64>
  }
  return %r#1 : tensor<2x1xf64>
}
