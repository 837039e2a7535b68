// RUN: anvl-opt %s --verify-each --split-input-file --anvl-lower-to-stablehlo | filecheck %s

// The only sort of a program, of few numbers, stays: its call is most of its time.  In a loop it is
// many sorts, and is packed (Note [Sorting packed integers]).

// CHECK-LABEL: func.func @once(
// CHECK-NOT:     shift_left
// CHECK:         "stablehlo.sort"(%{{.*}}) <{dimension = 0 : i64, is_stable = true}>
// CHECK:         return
func.func @once(%x: tensor<40xf32>) -> tensor<40xf32> {
  %y = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %before = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %number = stablehlo.compare EQ, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %nan = stablehlo.compare NE, %b, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %both = stablehlo.and %number, %nan : tensor<i1>
    %first = stablehlo.or %before, %both : tensor<i1>
    stablehlo.return %first : tensor<i1>
  }) : (tensor<40xf32>) -> tensor<40xf32>
  return %y : tensor<40xf32>
}

// -----

// CHECK-LABEL: func.func @in_a_loop(
// CHECK:         stablehlo.while
// CHECK:           %[[PACKED:.*]] = stablehlo.or
// CHECK:           "stablehlo.sort"(%[[PACKED]])
// CHECK:         return
func.func @in_a_loop(%x: tensor<40xf32>, %n: tensor<i32>) -> tensor<40xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %i, %y = stablehlo.while(%k = %zero, %z = %x) : tensor<i32>, tensor<40xf32>
  cond {
    %less = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %next = stablehlo.add %k, %one : tensor<i32>
    %sine = stablehlo.sine %z : tensor<40xf32>
    %sorted = "stablehlo.sort"(%sine) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %before = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %number = stablehlo.compare EQ, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %b, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %both = stablehlo.and %number, %nan : tensor<i1>
      %first = stablehlo.or %before, %both : tensor<i1>
      stablehlo.return %first : tensor<i1>
    }) : (tensor<40xf32>) -> tensor<40xf32>
    stablehlo.return %next, %sorted : tensor<i32>, tensor<40xf32>
  }
  return %y : tensor<40xf32>
}

// -----

// CHECK-LABEL: func.func private @of_whoever_calls(
// CHECK:         %[[PACKED:.*]] = stablehlo.or
// CHECK:         "stablehlo.sort"(%[[PACKED]])
// CHECK:         return
func.func private @of_whoever_calls(%x: tensor<40xf32>) -> tensor<40xf32> {
  %y = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %before = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %number = stablehlo.compare EQ, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %nan = stablehlo.compare NE, %b, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %both = stablehlo.and %number, %nan : tensor<i1>
    %first = stablehlo.or %before, %both : tensor<i1>
    stablehlo.return %first : tensor<i1>
  }) : (tensor<40xf32>) -> tensor<40xf32>
  return %y : tensor<40xf32>
}

func.func @main(%x: tensor<40xf32>) -> tensor<40xf32> {
  %y = call @of_whoever_calls(%x) : (tensor<40xf32>) -> tensor<40xf32>
  return %y : tensor<40xf32>
}
