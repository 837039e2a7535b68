// RUN: anvl-opt %s --anvl-remat="function=main policy=exp" | filecheck %s
// RUN: anvl-opt %s --anvl-remat="function=main policy=exp" --anvl-remat \
// RUN:   | filecheck %s
// RUN: anvl-opt %s --anvl-remat="function=main budget=8B" | filecheck %s --check-prefix=BUDGET
// RUN: anvl-opt %s --anvl-remat="function=main budget=0" | filecheck %s --check-prefix=NONE
// RUN: anvl-opt %s --anvl-remat | filecheck %s --check-prefix=NOTHING
// RUN: anvl-opt %s --anvl-remat="function=main policy=exp" \
// RUN:   --anvl-gradient="function=main wrt=0" \
// RUN:   | %run --function=main_adjoint --args='[0.0]' | %numbers %s

// A function that keeps the result of exp is two segments; the second begins with it.

// CHECK-LABEL: func.func @main(
// CHECK:         call @main_checkpoint(
// CHECK-LABEL: func.func private @main_checkpoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>) -> tensor<f64> {
// CHECK:         %[[KEPT:.*]] = call @main_checkpoint_0(%[[X]])
// CHECK:         %[[Y:.*]] = call @main_checkpoint_1(%[[KEPT]])
// CHECK:         return %[[Y]]
// CHECK-LABEL: func.func private @main_checkpoint_0(
// CHECK-SAME:    attributes {anvl.checkpoint = {kept = 1 : i64}}
// CHECK:         "anvl.sin"
// CHECK:         "anvl.exp"
// CHECK-LABEL: func.func private @main_checkpoint_1(
// CHECK-SAME:    attributes {anvl.checkpoint = {kept = 0 : i64}}
// CHECK:         "anvl.cos"

// BUDGET-COUNT-1: {anvl.checkpoint = {kept = 1 : i64}}
// NONE:           attributes {anvl.checkpoint = {kept = 0 : i64}}
// NOTHING-NOT:    checkpoint
// NOTHING:        func.func @main(

// NUMBERS:      f64[] 0.540302
// NUMBERS-NEXT: f64[] -0.841471
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  %1 = "anvl.exp"(%0) : (tensor<f64>) -> tensor<f64>
  %2 = "anvl.cos"(%1) : (tensor<f64>) -> tensor<f64>
  return %2 : tensor<f64>
}
