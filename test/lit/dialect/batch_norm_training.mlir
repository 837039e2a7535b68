// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=batch_norm_training_vjp --args='[[[1.0], [3.0]], [2.0], [5.0], [[1.0], \
// RUN:     [10.0]]]' \
// RUN:   | %numbers %s

// The adjoint is StableHLO's `batch_norm_grad`.

// CHECK-LABEL: func.func private @batch_norm_training_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x1xf64>
// CHECK-SAME:    %[[SCALE:[a-zA-Z0-9_]+]]: tensor<1xf64>
// CHECK-SAME:    %[[OFFSET:[a-zA-Z0-9_]+]]: tensor<1xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2x1xf64>
// CHECK:         %[[BATCH_NORM_TRAINING:.*]]:3 = "anvl.batch_norm_training"(%[[X]], %[[SCALE]], %[[OFFSET]])
// CHECK:         %[[BATCH_NORM_GRAD:.*]]:3 = "anvl.batch_norm_grad"(%[[X]], %[[SCALE]], %[[BATCH_NORM_TRAINING]]#1, %[[BATCH_NORM_TRAINING]]#2, %[[G]])
// CHECK:         return %[[BATCH_NORM_TRAINING]]#0, %[[BATCH_NORM_TRAINING]]#1, %[[BATCH_NORM_TRAINING]]#2, %[[BATCH_NORM_GRAD]]#0, %[[BATCH_NORM_GRAD]]#1, %[[BATCH_NORM_GRAD]]#2

// HLO-LABEL: func.func @batch_norm_training(
// HLO:         "stablehlo.batch_norm_training"({{.*}}) <{epsilon = 0.000000e+00 : f32, feature_index = 1 : i64}>
// HLO:         return

// NUMBERS: f64[2,1] 3.0 7.0
// NUMBERS-NEXT: f64[1] 2.0
// NUMBERS-NEXT: f64[1] 1.0
// NUMBERS-NEXT: f64[2,1] 0.0 0.0
// NUMBERS-NEXT: f64[1] 9.0
// NUMBERS-NEXT: f64[1] 11.0
func.func @batch_norm_training(
    %x: tensor<2x1xf64>, %scale: tensor<1xf64>, %offset: tensor<1xf64>)
    -> (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>) {
  %y, %mean, %variance = "anvl.batch_norm_training"(%x, %scale, %offset) {
    epsilon = 0.0 : f32,
    feature_index = 1 : i64
  } : (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>)
      -> (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>)
  return %y, %mean, %variance : tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>
}

func.func private @batch_norm_training_vjp(
    tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<2x1xf64>)
    -> (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<2x1xf64>, tensor<1xf64>,
        tensor<1xf64>)
    attributes {
      anvl.vjp = {
        callee = @batch_norm_training, wrt = array<i64: 0, 1, 2>, targets = array<i64: 0>
      }
    }
