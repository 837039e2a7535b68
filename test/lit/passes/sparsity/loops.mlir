// RUN: anvl-opt %s --anvl-sparsity=function=scanned 2>&1 >/dev/null | filecheck %s --check-prefix=SCANNED
// RUN: anvl-opt %s --anvl-sparsity=function=long 2>&1 >/dev/null | filecheck %s --check-prefix=LONG
// RUN: anvl-opt %s --anvl-sparsity=function=counted 2>&1 >/dev/null | filecheck %s --check-prefix=COUNTED
// RUN: anvl-opt %s --anvl-sparsity=function=unknown 2>&1 >/dev/null | filecheck %s --check-prefix=UNKNOWN
// RUN: anvl-opt %s --anvl-sparsity=function=chosen 2>&1 >/dev/null | filecheck %s --check-prefix=CHOSEN

// Each step of a loop that couples neighbours widens the band by one.

// SCANNED:      @scanned: result 0 by argument 0: 18 of 6x6
// SCANNED-NEXT:   rows 0-3: i..i+2
// SCANNED-NEXT:   row 4: 0 4..5
// SCANNED-NEXT:   row 5: 0..1 5
func.func @scanned(%x: tensor<6xf32>) -> tensor<6xf32> {
  %0 = call @twice(%x) : (tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
func.func private @twice(tensor<6xf32>) -> tensor<6xf32> attributes {anvl.scan = {body = @step, carry = 1 : i64, length = 2 : i64, reverse = false, xs = 0 : i64}}
func.func private @step(%c: tensor<6xf32>) -> tensor<6xf32> {
  %0 = "anvl.slice"(%c) {limit_indices = array<i64: 6>, start_indices = array<i64: 1>, strides = array<i64: 1>} : (tensor<6xf32>) -> tensor<5xf32>
  %1 = "anvl.slice"(%c) {limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>} : (tensor<6xf32>) -> tensor<1xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<5xf32>, tensor<1xf32>) -> tensor<6xf32>
  %3 = "anvl.mul"(%c, %2) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %3 : tensor<6xf32>
}

// So many steps are not tried one by one.

// LONG:      @long: result 0 by argument 0: 36 of 6x6
// LONG-NEXT:   rows 0-5: 0..5
func.func @long(%x: tensor<6xf32>) -> tensor<6xf32> {
  %0 = call @thousand(%x) : (tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
func.func private @thousand(tensor<6xf32>) -> tensor<6xf32> attributes {anvl.scan = {body = @step, carry = 1 : i64, length = 1000 : i64, reverse = false, xs = 0 : i64}}

// A counter is known in each step, so that it is known which element is updated.

// COUNTED:      @counted: result 0 by argument 0: 1 of 4x4
// COUNTED-NEXT:   row 3: 3
// COUNTED-NEXT: anvl-sparsity: @counted: result 0 by argument 1: 3 of 4x1
// COUNTED-NEXT:   rows 0-2: 0
// UNKNOWN:      @unknown: result 0 by argument 0: 4 of 4x4
// UNKNOWN-NEXT:   rows 0-3: i
// UNKNOWN-NEXT: anvl-sparsity: @unknown: result 0 by argument 1: 4 of 4x1
// UNKNOWN-NEXT:   rows 0-3: 0
// UNKNOWN-NEXT: anvl-sparsity: @unknown: result 0 by argument 2: 4 of 4x1
func.func @counted(%x: tensor<4xf32>, %s: tensor<1xf32>) -> tensor<4xf32> {
  %zero = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %end = "anvl.constant"() {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %one = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %t = "anvl.compare"(%i, %end) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %n = "anvl.dynamic_update_slice"(%c, %s, %i) : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
      %j = "anvl.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      stablehlo.return %j, %n : tensor<i32>, tensor<4xf32>
    }
  return %r#1 : tensor<4xf32>
}
func.func @unknown(%x: tensor<4xf32>, %s: tensor<1xf32>, %end: tensor<i32>) -> tensor<4xf32> {
  %zero = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %one = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %t = "anvl.compare"(%i, %end) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %n = "anvl.dynamic_update_slice"(%c, %s, %i) : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
      %j = "anvl.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      stablehlo.return %j, %n : tensor<i32>, tensor<4xf32>
    }
  return %r#1 : tensor<4xf32>
}

// The result of a choice depends on the index, and on what any branch reads; functions are entered.

// CHOSEN:      @chosen: result 0 by argument 0: 2 of 2x1
// CHOSEN-NEXT:   rows 0-1: 0
// CHOSEN-NEXT: anvl-sparsity: @chosen: result 0 by argument 1: 4 of 2x2
// CHOSEN-NEXT:   rows 0-1: 0..1
func.func @chosen(%p: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = func.call @turned(%x) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }, {
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @turned(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "anvl.reverse"(%x) {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
