// RUN: anvl-opt %s --anvl-lift | filecheck %s
// RUN: anvl-opt %s --anvl-lift --anvl-lift | filecheck %s
// RUN: anvl-opt %s --anvl-lift --anvl-control-flow | filecheck %s --check-prefix=BACK
// RUN: anvl-opt %s --anvl-lift --anvl-gradient="function=main" --anvl-control-flow \
// RUN:   | %run --function=main_adjoint --args='[2.0]' | %numbers %s
// RUN: anvl-opt %s --anvl-lift --anvl-gradient="function=halved" --anvl-control-flow \
// RUN:   | %run --function=halved_adjoint --args='[10.0, 0.5]' | %numbers %s --check-prefix=HALVED
// RUN: anvl-opt %s --anvl-lift --anvl-vectorize="function=chosen size=3 batched=0" \
// RUN:   --anvl-control-flow \
// RUN:   | %run --function=chosen_batched --args='[[-1, 0, 7], 3.0]' \
// RUN:   | %numbers %s --check-prefix=CHOSEN
// RUN: anvl-opt %s --anvl-lift --anvl-control-flow \
// RUN:   | %run --function=either --args='[true, 3.0]' | %numbers %s --check-prefix=TRUE

// RUN: anvl-opt %s --anvl-lift --anvl-gradient="function=down" --anvl-control-flow \
// RUN:   | %run --function=down_adjoint --args='[2.0]' | %numbers %s --check-prefix=DOWN

// A loop that counts its steps becomes a scan; what it reads from outside is an argument.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>)
// CHECK:         %{{.*}}:2 = call @main_scan(%{{.*}}, %{{.*}}, %{{.*}}, %[[X]])
// CHECK-NOT:     stablehlo.while

// BACK:          stablehlo.while

// x^3 + 1, and 3 x^2
// NUMBERS:      f64[] 9.0
// NUMBERS-NEXT: f64[] 12.0
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %six = stablehlo.constant dense<6> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %one) : tensor<i32>, tensor<f64>
  cond {
    %more = stablehlo.compare GT, %six, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %next = stablehlo.add %i, %two : tensor<i32>
    %z = stablehlo.multiply %y, %x : tensor<f64>
    stablehlo.return %next, %z : tensor<i32>, tensor<f64>
  }
  %1 = stablehlo.add %0#1, %one : tensor<f64>
  return %1 : tensor<f64>
}

// So does one that counts down; it may read its counter.

// CHECK-LABEL: func.func @down(
// CHECK:         call @down_scan(
// CHECK-NOT:     stablehlo.while
// 5 x + 3 x + x, and 9
// DOWN:      f64[] 18.0
// DOWN-NEXT: f64[] 9.0
func.func @down(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %0:2 = stablehlo.while(%i = %five, %y = %zero) : tensor<i32>, tensor<f64>
  cond {
    %last = stablehlo.constant dense<0> : tensor<i32>
    %more = stablehlo.compare GE, %i, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %next = stablehlo.subtract %i, %two : tensor<i32>
    %n = stablehlo.convert %i : (tensor<i32>) -> tensor<f64>
    %nx = stablehlo.multiply %n, %x : tensor<f64>
    %z = stablehlo.add %y, %nx : tensor<f64>
    stablehlo.return %next, %z : tensor<i32>, tensor<f64>
  }
  return %0#1 : tensor<f64>
}

// Of others nobody knows how many steps they take.

// CHECK-LABEL: func.func @halved(
// CHECK:         stablehlo.while(
// CHECK:           "anvl.mul"
// HALVED:      f64[] 0.625
// HALVED-NEXT: f64[] 0.0625
// HALVED-NEXT: f64[] 5.0
func.func @halved(%x: tensor<f64>, %by: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.while(%y = %x) : tensor<f64>
  cond {
    %one = stablehlo.constant dense<1.0> : tensor<f64>
    %more = stablehlo.compare GT, %y, %one : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %z = stablehlo.multiply %y, %by : tensor<f64>
    stablehlo.return %z : tensor<f64>
  }
  return %0 : tensor<f64>
}

// Choices stay; what is in their regions becomes ops of anvl.

// CHECK-LABEL: func.func @chosen(
// CHECK:         "stablehlo.case"(
// CHECK:           "anvl.mul"
// CHOSEN: f64[3] 9.0 3.0 9.0
func.func @chosen(%i: tensor<i32>, %x: tensor<f64>) -> tensor<f64> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<f64>
  }, {
    %1 = stablehlo.multiply %x, %x : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<i32>) -> tensor<f64>
  return %0 : tensor<f64>
}

// CHECK-LABEL: func.func @either(
// CHECK-SAME:    %[[P:[a-zA-Z0-9_]+]]: tensor<i1>, %[[X:[a-zA-Z0-9_]+]]: tensor<f64>)
// CHECK-NEXT:    "stablehlo.if"(%[[P]]) ({
// CHECK-NEXT:      "stablehlo.if"(%[[P]]) ({
// CHECK-NEXT:        "anvl.mul"(%[[X]], %[[X]])
// TRUE: f64[] 9.0
func.func @either(%p: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %0 = "stablehlo.if"(%p) ({
    %1 = "stablehlo.if"(%p) ({
      %2 = stablehlo.multiply %x, %x : tensor<f64>
      stablehlo.return %2 : tensor<f64>
    }, {
      stablehlo.return %x : tensor<f64>
    }) : (tensor<i1>) -> tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }, {
    stablehlo.return %x : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %0 : tensor<f64>
}

// A condition that does more than to tell stays one.

// CHECK-LABEL: func.func @told(
// CHECK:         stablehlo.while(
func.func @told(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<f64>
  cond {
    %1 = stablehlo.custom_call @tell(%y) {has_side_effect = true} : (tensor<f64>) -> tensor<f64>
    %six = stablehlo.constant dense<6> : tensor<i32>
    %more = stablehlo.compare LT, %i, %six : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %next = stablehlo.add %i, %two : tensor<i32>
    stablehlo.return %next, %y : tensor<i32>, tensor<f64>
  }
  return %0#1 : tensor<f64>
}
