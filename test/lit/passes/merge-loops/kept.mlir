// RUN: anvl-opt %s --verify-each --anvl-merge-loops | filecheck %s

// Loops that are no parts of each other stay.

// A step computes something else.

// CHECK-LABEL: func.func @another_step(
// CHECK:         stablehlo.while
// CHECK:         stablehlo.while
func.func @another_step(%x: tensor<f32>, %w: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<f32>, tensor<f32>
  cond {
    %n = "anvl.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
    %p = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %next = "anvl.add"(%i, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y = "anvl.mul"(%c, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %next, %y : tensor<f32>, tensor<f32>
  }
  %1:3 = stablehlo.while(%i = %zero, %c = %x, %d = %w) : tensor<f32>, tensor<f32>, tensor<f32>
  cond {
    %n = "anvl.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
    %p = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %next = "anvl.add"(%i, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y = "anvl.add"(%c, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %z = "anvl.sin"(%d) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %next, %y, %z : tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %0#1, %1#2 : tensor<f32>, tensor<f32>
}

// A condition is another.

// CHECK-LABEL: func.func @another_number_of_steps(
// CHECK:         stablehlo.while
// CHECK:         stablehlo.while
func.func @another_number_of_steps(%x: tensor<f32>, %w: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<f32>, tensor<f32>
  cond {
    %n = "anvl.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
    %p = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %next = "anvl.add"(%i, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y = "anvl.mul"(%c, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %next, %y : tensor<f32>, tensor<f32>
  }
  %1:3 = stablehlo.while(%i = %zero, %c = %x, %d = %w) : tensor<f32>, tensor<f32>, tensor<f32>
  cond {
    %n = "anvl.constant"() {value = dense<8.0> : tensor<f32>} : () -> tensor<f32>
    %p = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %next = "anvl.add"(%i, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y = "anvl.mul"(%c, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %z = "anvl.sin"(%d) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %next, %y, %z : tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %0#1, %1#2 : tensor<f32>, tensor<f32>
}

// A carry starts elsewhere.

// CHECK-LABEL: func.func @another_start(
// CHECK:         stablehlo.while
// CHECK:         stablehlo.while
func.func @another_start(%x: tensor<f32>, %w: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<f32>, tensor<f32>
  cond {
    %n = "anvl.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
    %p = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %next = "anvl.add"(%i, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y = "anvl.mul"(%c, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %next, %y : tensor<f32>, tensor<f32>
  }
  %1:3 = stablehlo.while(%i = %zero, %c = %w, %d = %x) : tensor<f32>, tensor<f32>, tensor<f32>
  cond {
    %n = "anvl.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
    %p = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %next = "anvl.add"(%i, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y = "anvl.mul"(%c, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %z = "anvl.sin"(%d) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %next, %y, %z : tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %0#1, %1#2 : tensor<f32>, tensor<f32>
}

// The first steps agree: the second loop multiplies the start of the carry, each time.

// CHECK-LABEL: func.func @the_start_is_not_the_carry(
// CHECK:         stablehlo.while
// CHECK:         stablehlo.while
func.func @the_start_is_not_the_carry(%x: tensor<f32>, %w: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<f32>, tensor<f32>
  cond {
    %n = "anvl.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
    %p = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %next = "anvl.add"(%i, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y = "anvl.mul"(%c, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %next, %y : tensor<f32>, tensor<f32>
  }
  %1:3 = stablehlo.while(%i = %zero, %c = %x, %d = %w) : tensor<f32>, tensor<f32>, tensor<f32>
  cond {
    %n = "anvl.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
    %p = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %next = "anvl.add"(%i, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y = "anvl.mul"(%x, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %z = "anvl.sin"(%d) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %next, %y, %z : tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %0#1, %1#2 : tensor<f32>, tensor<f32>
}

// A carry is the same until what it is made of differs, a step later.

// CHECK-LABEL: func.func @apart_after_two_steps(
// CHECK:         stablehlo.while
// CHECK:         stablehlo.while
func.func @apart_after_two_steps(%x: tensor<f32>, %w: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0:3 = stablehlo.while(%i = %zero, %c = %x, %d = %x) : tensor<f32>, tensor<f32>, tensor<f32>
  cond {
    %n = "anvl.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
    %p = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %next = "anvl.add"(%i, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y = "anvl.mul"(%d, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %z = "anvl.sin"(%d) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %next, %y, %z : tensor<f32>, tensor<f32>, tensor<f32>
  }
  %1:4 = stablehlo.while(%i = %zero, %c = %x, %d = %x, %e = %x) : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  cond {
    %n = "anvl.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
    %p = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %next = "anvl.add"(%i, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y = "anvl.mul"(%d, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %z = "anvl.sin"(%e) : (tensor<f32>) -> tensor<f32>
    %v = "anvl.cos"(%e) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %next, %y, %z, %v : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %0#1, %1#2 : tensor<f32>, tensor<f32>
}

// The second loop starts from what the first one made.

// CHECK-LABEL: func.func @a_loop_that_needs_the_other(
// CHECK:         stablehlo.while
// CHECK:         stablehlo.while
func.func @a_loop_that_needs_the_other(%x: tensor<f32>, %w: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<f32>, tensor<f32>
  cond {
    %n = "anvl.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
    %p = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %next = "anvl.add"(%i, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y = "anvl.mul"(%c, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %next, %y : tensor<f32>, tensor<f32>
  }
  %1:3 = stablehlo.while(%i = %zero, %c = %x, %d = %0#1) : tensor<f32>, tensor<f32>, tensor<f32>
  cond {
    %n = "anvl.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
    %p = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %next = "anvl.add"(%i, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y = "anvl.mul"(%c, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %z = "anvl.sin"(%d) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %next, %y, %z : tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %0#1, %1#2 : tensor<f32>, tensor<f32>
}

// A step of the second loop reads what the first one made.

// CHECK-LABEL: func.func @a_step_that_needs_the_other(
// CHECK:         stablehlo.while
// CHECK:         stablehlo.while
func.func @a_step_that_needs_the_other(%x: tensor<f32>, %w: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<f32>, tensor<f32>
  cond {
    %n = "anvl.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
    %p = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %next = "anvl.add"(%i, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y = "anvl.mul"(%c, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %next, %y : tensor<f32>, tensor<f32>
  }
  %made = "anvl.exp"(%0#1) : (tensor<f32>) -> tensor<f32>
  %1:3 = stablehlo.while(%i = %zero, %c = %x, %d = %w) : tensor<f32>, tensor<f32>, tensor<f32>
  cond {
    %n = "anvl.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
    %p = "anvl.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %next = "anvl.add"(%i, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y = "anvl.mul"(%c, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %z = "anvl.mul"(%d, %made) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %next, %y, %z : tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %0#1, %1#2 : tensor<f32>, tensor<f32>
}

// A choice by another value, and another branch.

// CHECK-LABEL: func.func @other_choices(
// CHECK:         stablehlo.if
// CHECK:         stablehlo.if
// CHECK:         stablehlo.if
func.func @other_choices(%p: tensor<i1>, %q: tensor<i1>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = "stablehlo.if"(%p) ({
    %y = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %y : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  %1 = "stablehlo.if"(%q) ({
    %y = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %y : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  %2 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f32>
  }, {
    %y = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %y : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// A loop whose steps have an effect, and a start that a call with an effect makes: each of two
// calls is to run, and may give another number.

// CHECK-LABEL: func.func @effects(
// CHECK-COUNT-2: custom_call @roll
// CHECK-COUNT-2: stablehlo.while
// CHECK-COUNT-2: stablehlo.while
func.func @effects(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %a = "stablehlo.custom_call"(%x) {call_target_name = "roll", has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  %b = "stablehlo.custom_call"(%x) {call_target_name = "roll", has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  %0 = stablehlo.while(%c = %a) : tensor<f32>
  cond {
    %p = "anvl.compare"(%c, %x) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %y = "anvl.exp"(%c) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %y : tensor<f32>
  }
  %1 = stablehlo.while(%c = %b) : tensor<f32>
  cond {
    %p = "anvl.compare"(%c, %x) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %y = "anvl.exp"(%c) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %y : tensor<f32>
  }
  %2 = stablehlo.while(%c = %x) : tensor<f32>
  cond {
    %p = "anvl.compare"(%c, %x) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %y = "stablehlo.custom_call"(%c) {call_target_name = "log", has_side_effect = true} : (tensor<f32>) -> tensor<f32>
    stablehlo.return %y : tensor<f32>
  }
  %3 = stablehlo.while(%c = %x) : tensor<f32>
  cond {
    %p = "anvl.compare"(%c, %x) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %y = "stablehlo.custom_call"(%c) {call_target_name = "log", has_side_effect = true} : (tensor<f32>) -> tensor<f32>
    stablehlo.return %y : tensor<f32>
  }
  return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// Steps that choose by other values, and that reduce by another function of the same parts.

// CHECK-LABEL: func.func @other_regions(
// CHECK-COUNT-4: stablehlo.while
func.func @other_regions(%x: tensor<3xf32>, %q: tensor<i1>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0 = stablehlo.while(%c = %zero) : tensor<f32>
  cond {
    %p = "anvl.compare"(%c, %zero) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %y = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
     reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %d = "anvl.sub"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %d : tensor<f32>
    }
    stablehlo.return %y : tensor<f32>
  }
  %1 = stablehlo.while(%c = %zero) : tensor<f32>
  cond {
    %p = "anvl.compare"(%c, %zero) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %y = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
     reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %d = "anvl.sub"(%b, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %d : tensor<f32>
    }
    stablehlo.return %y : tensor<f32>
  }
  %2 = stablehlo.while(%c = %zero) : tensor<f32>
  cond {
    %p = "anvl.compare"(%c, %zero) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %y = "stablehlo.if"(%q) ({
      %d = "anvl.sin"(%c) : (tensor<f32>) -> tensor<f32>
      stablehlo.return %d : tensor<f32>
    }, {
      stablehlo.return %c : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    stablehlo.return %y : tensor<f32>
  }
  %3 = stablehlo.while(%c = %zero) : tensor<f32>
  cond {
    %p = "anvl.compare"(%c, %zero) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %r = "anvl.compare"(%c, %zero) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %y = "stablehlo.if"(%r) ({
      %d = "anvl.sin"(%c) : (tensor<f32>) -> tensor<f32>
      stablehlo.return %d : tensor<f32>
    }, {
      stablehlo.return %c : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    stablehlo.return %y : tensor<f32>
  }
  return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
