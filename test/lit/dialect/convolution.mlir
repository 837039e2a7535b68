// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=convolution_vjp --args='[[[[1.0], [2.0], [3.0], [4.0]]], \
// RUN:     [[[10.0]], [[1.0]]], [[[1.0], [100.0]]]]' \
// RUN:   | %numbers %s

// Two convolutions: of the cotangent with the kernel turned round, and of the input with the
// cotangent as kernel.  Strides become dilations.

// CHECK-LABEL: func.func private @convolution_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<1x4x1xf64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<2x1x1xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<1x2x1xf64>
// CHECK:         %[[CONVOLUTION:.*]] = "anvl.convolution"(%[[X]], %[[Y]])
// CHECK-SAME:      dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>
// CHECK-SAME:      lhs_dilation = array<i64: 1>
// CHECK-SAME:      padding = dense<{{\[\[}}1, 0]]>
// CHECK-SAME:      rhs_dilation = array<i64: 1>
// CHECK-SAME:      window_reversal = array<i1: false>
// CHECK-SAME:      window_strides = array<i64: 2>
// CHECK:         %[[REVERSE:.*]] = "anvl.reverse"(%[[Y]])
// CHECK:         %[[CONVOLUTION2:.*]] = "anvl.convolution"(%[[G]], %[[REVERSE]])
// CHECK-SAME:      dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, o, i]->[b, 0, f]>
// CHECK-SAME:      lhs_dilation = array<i64: 2>
// CHECK-SAME:      padding = dense<{{\[\[}}0, 2]]>
// CHECK-SAME:      rhs_dilation = array<i64: 1>
// CHECK-SAME:      window_reversal = array<i1: false>
// CHECK-SAME:      window_strides = array<i64: 1>
// CHECK:         %[[CONVOLUTION3:.*]] = "anvl.convolution"(%[[X]], %[[G]])
// CHECK-SAME:      dimension_numbers = #stablehlo.conv<[f, 0, b]x[i, 0, o]->[0, b, f]>
// CHECK-SAME:      lhs_dilation = array<i64: 1>
// CHECK-SAME:      padding = dense<{{\[\[}}1, -1]]>
// CHECK-SAME:      rhs_dilation = array<i64: 2>
// CHECK-SAME:      window_reversal = array<i1: false>
// CHECK-SAME:      window_strides = array<i64: 1>
// CHECK:         return %[[CONVOLUTION]], %[[CONVOLUTION2]], %[[CONVOLUTION3]]

// HLO-LABEL: func.func @convolution(
// HLO:         stablehlo.convolution({{.*}}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = {{\[\[}}1, 0]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
// HLO:         return

// NUMBERS: f64[1,2,1] 1.0 23.0
// NUMBERS-NEXT: f64[1,4,1] 1.0 1000.0 100.0 0.0
// NUMBERS-NEXT: f64[2,1,1] 200.0 301.0
func.func @convolution(%x: tensor<1x4x1xf64>, %y: tensor<2x1x1xf64>) -> tensor<1x2x1xf64> {
  %z = "anvl.convolution"(%x, %y) {
    window_strides = array<i64: 2>,
    padding = dense<[[1, 0]]> : tensor<1x2xi64>,
    lhs_dilation = array<i64: 1>,
    rhs_dilation = array<i64: 1>,
    window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64,
    batch_group_count = 1 : i64
  } : (tensor<1x4x1xf64>, tensor<2x1x1xf64>) -> tensor<1x2x1xf64>
  return %z : tensor<1x2x1xf64>
}

func.func private @convolution_vjp(tensor<1x4x1xf64>, tensor<2x1x1xf64>, tensor<1x2x1xf64>)
    -> (tensor<1x2x1xf64>, tensor<1x4x1xf64>, tensor<2x1x1xf64>)
    attributes {
      anvl.vjp = {callee = @convolution, wrt = array<i64: 0, 1>, targets = array<i64: 0>}
    }
