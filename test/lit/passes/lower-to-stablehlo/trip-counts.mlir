// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | %run --function=down | %numbers %s --check-prefix=DOWN

// Of an unsigned counter that goes down, XLA takes `i - 1` for `i + (2^32 - 1)`, and infers one
// step: so there are two counters, and each is made of the other (Note [Trip counts that XLA
// misreads]).

// CHECK-LABEL: func.func @down(
// CHECK:         stablehlo.while(%[[I:.*]] = %[[START:.*]], %[[N:.*]] = %{{.*}}, %[[J:.*]] = %[[START]])
// CHECK:         } do {
// CHECK:           %[[NEXT_J:.*]] = stablehlo.subtract %[[I]], %{{.*}} :
// CHECK:           %[[NEXT_N:.*]] = stablehlo.multiply %[[N]], %{{.*}} :
// CHECK:           %[[NEXT_I:.*]] = stablehlo.subtract %[[J]], %{{.*}} :
// CHECK:           stablehlo.return %[[NEXT_I]], %[[NEXT_N]], %[[NEXT_J]]
// DOWN: f32[] 32.0
func.func @down() -> tensor<f32> {
  %start = stablehlo.constant dense<5> : tensor<ui32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0:2 = stablehlo.while(%i = %start, %n = %one) : tensor<ui32>, tensor<f32>
  cond {
    %end = stablehlo.constant dense<0> : tensor<ui32>
    %more = stablehlo.compare GT, %i, %end : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %step = stablehlo.constant dense<1> : tensor<ui32>
    %next = stablehlo.subtract %i, %step : tensor<ui32>
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %twice = stablehlo.multiply %n, %two : tensor<f32>
    stablehlo.return %next, %twice : tensor<ui32>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}

// A loop that counts up to a bound by ones is read rightly, and stays as it is.

// CHECK-LABEL: func.func @up(
// CHECK:         stablehlo.while(%[[I:.*]] = %{{[^,]*}}, %[[N:.*]] = %{{[^,]*}}) : tensor<i32>, tensor<f32>
func.func @up(%n: tensor<f32>) -> tensor<f32> {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %end = stablehlo.constant dense<5> : tensor<i32>
  %step = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %start, %m = %n) : tensor<i32>, tensor<f32>
  cond {
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %step : tensor<i32>
    %twice = stablehlo.add %m, %m : tensor<f32>
    stablehlo.return %next, %twice : tensor<i32>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}
