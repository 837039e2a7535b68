// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=batch_norm_inference_vjp --args='[[[1.0], [3.0]], [2.0], [5.0], [2.0], \
// RUN:     [0.25], [[1.0], [10.0]]]' \
// RUN:   | %numbers %s

// The rules follow from the expansion of the op.

// CHECK-LABEL: func.func private @batch_norm_inference_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x1xf64>
// CHECK-SAME:    %[[SCALE:[a-zA-Z0-9_]+]]: tensor<1xf64>
// CHECK-SAME:    %[[OFFSET:[a-zA-Z0-9_]+]]: tensor<1xf64>
// CHECK-SAME:    %[[MEAN:[a-zA-Z0-9_]+]]: tensor<1xf64>
// CHECK-SAME:    %[[VARIANCE:[a-zA-Z0-9_]+]]: tensor<1xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2x1xf64>
// CHECK:         %[[BATCH_NORM_INFERENCE:.*]] = "anvl.batch_norm_inference"(%[[X]], %[[SCALE]], %[[OFFSET]], %[[MEAN]], %[[VARIANCE]])
// CHECK:         %[[SPREAD:.*]] = "anvl.broadcast_in_dim"(%[[MEAN]])
// CHECK:         %[[SUB:.*]] = "anvl.sub"(%[[X]], %[[SPREAD]])
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[ADD:.*]] = "anvl.add"(%[[VARIANCE]], %[[ZERO]])
// CHECK:         %[[SQRT:.*]] = "anvl.sqrt"(%[[ADD]])
// CHECK:         %[[SPREAD2:.*]] = "anvl.broadcast_in_dim"(%[[SQRT]])
// CHECK:         %[[DIV:.*]] = "anvl.div"(%[[SUB]], %[[SPREAD2]])
// CHECK:         %[[SPREAD3:.*]] = "anvl.broadcast_in_dim"(%[[SCALE]])
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[G]], %[[SPREAD3]])
// CHECK:         %[[MUL2:.*]] = "anvl.mul"(%[[G]], %[[DIV]])
// CHECK:         %[[SUM:.*]] = "anvl.sum"(%[[MUL2]]) {axes = array<i64: 0>
// CHECK:         %[[DIV2:.*]] = "anvl.div"(%[[MUL]], %[[SPREAD2]])
// CHECK:         return %[[BATCH_NORM_INFERENCE]], %[[DIV2]], %[[SUM]]

// HLO-LABEL: func.func @batch_norm_inference(
// HLO:         "stablehlo.batch_norm_inference"({{.*}}) <{epsilon = 0.000000e+00 : f32, feature_index = 1 : i64}>
// HLO:         return

// NUMBERS: f64[2,1] 1.0 9.0
// NUMBERS-NEXT: f64[2,1] 4.0 40.0
// NUMBERS-NEXT: f64[1] 18.0
func.func @batch_norm_inference(
    %x: tensor<2x1xf64>, %scale: tensor<1xf64>, %offset: tensor<1xf64>, %mean: tensor<1xf64>,
    %variance: tensor<1xf64>) -> tensor<2x1xf64> {
  %y = "anvl.batch_norm_inference"(%x, %scale, %offset, %mean, %variance) {
    epsilon = 0.0 : f32,
    feature_index = 1 : i64
  } : (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
      -> tensor<2x1xf64>
  return %y : tensor<2x1xf64>
}

func.func private @batch_norm_inference_vjp(
    tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<2x1xf64>)
    -> (tensor<2x1xf64>, tensor<2x1xf64>, tensor<1xf64>)
    attributes {
      anvl.vjp = {
        callee = @batch_norm_inference, wrt = array<i64: 0, 1>, targets = array<i64: 0>
      }
    }
