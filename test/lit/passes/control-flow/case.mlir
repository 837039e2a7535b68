// RUN: anvl-opt %s --anvl-control-flow | filecheck %s
// RUN: anvl-opt %s --anvl-control-flow --anvl-control-flow | filecheck %s
// RUN: anvl-opt %s --anvl-gradient="function=main" | filecheck %s --check-prefix=GRAD
// RUN: anvl-opt %s --anvl-forward="function=main" | filecheck %s --check-prefix=JVP
// RUN: anvl-opt %s --anvl-vectorize="function=main batched=1 size=2" \
// RUN:   | filecheck %s --check-prefix=VMAP
// RUN: anvl-opt %s --anvl-vectorize="function=main batched=0 size=2" \
// RUN:   | filecheck %s --check-prefix=SELECT
// RUN: anvl-opt %s --anvl-gradient="function=main" --anvl-control-flow \
// RUN:   | %run --function=main_adjoint --args='[1, 3.0]' | %numbers %s

// A declaration that says between what it chooses; each transformation is one of the branches.

// CHECK-LABEL: func.func private @choose(
// CHECK-SAME:    %[[I:\w+]]: tensor<i32>, %[[X:\w+]]: tensor<f64>) -> tensor<f64> {
// CHECK:         %[[AT:.*]] = "anvl.maximum"(%[[I]]
// CHECK:         %[[Y:.*]] = "stablehlo.case"(%[[AT]]) ({
// CHECK-NEXT:      %[[A:.*]] = {{.*}}call @sine(%[[X]])
// CHECK-NEXT:      stablehlo.return %[[A]]
// CHECK-NEXT:    }, {
// CHECK-NEXT:      %[[B:.*]] = {{.*}}call @square(%[[X]])
// CHECK-NEXT:      stablehlo.return %[[B]]
// CHECK:         return %[[Y]]

// GRAD-LABEL: func.func @main_adjoint(
// GRAD:         call @choose_adjoint(
// GRAD:       func.func private @choose_adjoint(
// GRAD-SAME:    {anvl.case = {branches = [@sine_adjoint, @square_adjoint]}}

// JVP:        func.func private @choose_tangent(
// JVP-SAME:     {anvl.case = {branches = [@sine_tangent, @square_tangent]}}

// VMAP:       func.func private @choose_batched(tensor<i32>, tensor<2xf64>) -> tensor<2xf64>
// VMAP-SAME:    {anvl.case = {branches = [@sine_batched, @square_batched]}}

// Where members choose differently, each takes its own of all.
// SELECT-LABEL: func.func @main_batched(
// SELECT-NOT:     call
// SELECT:         "anvl.sin"
// SELECT:         "anvl.select"

// NUMBERS:      f64[] 9.0
// NUMBERS-NEXT: f64[] 6.0
func.func private @choose(tensor<i32>, tensor<f64>) -> tensor<f64>
    attributes {anvl.case = {branches = [@sine, @square]}}

func.func private @sine(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

func.func private @square(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

func.func @main(%i: tensor<i32>, %x: tensor<f64>) -> tensor<f64> {
  %0 = call @choose(%i, %x) : (tensor<i32>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
