// RUN: anvl-opt %s --verify-each --anvl-control-flow="select=true" | filecheck %s
// RUN: anvl-opt %s --anvl-control-flow="select=true" --anvl-lower-to-stablehlo \
// RUN:   | %run --args='[2, [3.0, 4.0], false]' | %numbers %s
// RUN: anvl-opt %s --anvl-control-flow="select=true" > %t
// RUN: anvl-opt %t --anvl-control-flow="select=true" | diff %t -

// Choices as all of their branches, and the one that is chosen of their results.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo
// CHECK:         %[[A:.*]] = "anvl.sin"
// CHECK:         %[[B:.*]] = "anvl.neg"
// CHECK:         %[[N:.*]] = "anvl.exp"
// CHECK:         %[[C:.*]] = "anvl.mul"
// CHECK:         %[[NC:.*]] = "anvl.select"(%{{.*}}, %[[N]], %[[C]])
// CHECK:         %[[AC:.*]] = "anvl.select"(%{{.*}}, %[[A]], %[[NC]])
// CHECK:         %[[ABC:.*]] = "anvl.select"(%{{.*}}, %[[B]], %[[AC]])
// CHECK:         return %[[ABC]]

// NUMBERS: f64[2] 9.0 16.0
func.func @main(%i: tensor<i32>, %x: tensor<2xf64>, %p: tensor<i1>) -> tensor<2xf64> {
  %0 = "stablehlo.case"(%i) ({
    %1 = "anvl.sin"(%x) : (tensor<2xf64>) -> tensor<2xf64>
    stablehlo.return %1 : tensor<2xf64>
  }, {
    %1 = "anvl.neg"(%x) : (tensor<2xf64>) -> tensor<2xf64>
    stablehlo.return %1 : tensor<2xf64>
  }, {
    %1 = "stablehlo.if"(%p) ({
      %2 = "anvl.exp"(%x) : (tensor<2xf64>) -> tensor<2xf64>
      stablehlo.return %2 : tensor<2xf64>
    }, {
      %2 = "anvl.mul"(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
      stablehlo.return %2 : tensor<2xf64>
    }) : (tensor<i1>) -> tensor<2xf64>
    stablehlo.return %1 : tensor<2xf64>
  }) : (tensor<i32>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// A branch may call a function with rules, which is not inlined yet.

// CHECK-LABEL: func.func @calls(
// CHECK:         %[[Y:.*]] = call @ruled(
// CHECK:         "anvl.select"(%{{.*}}, %[[Y]], %{{.*}})
func.func @calls(%p: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %0 = "stablehlo.if"(%p) ({
    %1 = func.call @ruled(%x) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }, {
    stablehlo.return %x : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @ruled(%x: tensor<f64>) -> tensor<f64>
    attributes {anvl.custom_jvp = {rule = @rule, wrt = array<i64: 0>}} {
  return %x : tensor<f64>
}
func.func private @rule(%x: tensor<f64>, %y: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  return %t : tensor<f64>
}
