// RUN: anvl-opt %s --verify-each --anvl-control-flow="select=true" --anvl-inline | filecheck %s
// RUN: anvl-opt %s --anvl-control-flow="select=true" --anvl-inline --anvl-lower-to-stablehlo \
// RUN:   | %run --args='[2, [3.0, 4.0]]' | %numbers %s
// RUN: anvl-opt %s --anvl-control-flow="select=true" \
// RUN:   | anvl-opt --anvl-control-flow="select=true" | filecheck %s --check-prefix=AGAIN

// A choice as all of its branches, and the one that is chosen of their results.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.case
// CHECK:         %[[A:.*]] = "anvl.sin"
// CHECK:         %[[B:.*]] = "anvl.neg"
// CHECK:         %[[C:.*]] = "anvl.mul"
// CHECK:         %[[AB:.*]] = "anvl.select"(%{{.*}}, %[[B]], %[[A]])
// CHECK:         %[[ABC:.*]] = "anvl.select"(%{{.*}}, %[[C]], %[[AB]])
// CHECK:         return %[[ABC]]

// AGAIN-LABEL: func.func @main(
// AGAIN-NOT:     stablehlo.case
// AGAIN:         return

// NUMBERS: f64[2] 9.0 16.0

func.func private @sine(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = "anvl.sin"(%x) : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

func.func private @minus(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = "anvl.neg"(%x) : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

func.func private @square(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = "anvl.mul"(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

func.func private @choice(tensor<i32>, tensor<2xf64>) -> tensor<2xf64>
    attributes {anvl.case = {branches = [@sine, @minus, @square]}}

func.func @main(%i: tensor<i32>, %x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = call @choice(%i, %x) : (tensor<i32>, tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
