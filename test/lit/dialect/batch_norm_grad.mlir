// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=batch_norm_grad_vjp --args='[[[1.0], [3.0]], [2.0], [2.0], [1.0], \
// RUN:     [[1.0], [10.0]], [1.0]]' \
// RUN:   | %numbers %s

// The rules follow from the expansion; here grad_scale, the sum of g times the normalized x, with
// respect to g.

// CHECK-LABEL: func.func private @batch_norm_grad_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x1xf64>
// CHECK-SAME:    %[[SCALE:[a-zA-Z0-9_]+]]: tensor<1xf64>
// CHECK-SAME:    %[[MEAN:[a-zA-Z0-9_]+]]: tensor<1xf64>
// CHECK-SAME:    %[[VARIANCE:[a-zA-Z0-9_]+]]: tensor<1xf64>
// CHECK-SAME:    %[[GRAD:[a-zA-Z0-9_]+]]: tensor<2x1xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<1xf64>
// CHECK:         %[[BATCH_NORM_GRAD:.*]]:3 = "anvl.batch_norm_grad"(%[[X]], %[[SCALE]], %[[MEAN]], %[[VARIANCE]], %[[GRAD]])
// CHECK:         %[[SPREAD:.*]] = "anvl.broadcast_in_dim"(%[[MEAN]])
// CHECK:         %[[SUB:.*]] = "anvl.sub"(%[[X]], %[[SPREAD]])
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[ADD:.*]] = "anvl.add"(%[[VARIANCE]], %[[ZERO]])
// CHECK:         %[[SQRT:.*]] = "anvl.sqrt"(%[[ADD]])
// CHECK:         %[[SPREAD2:.*]] = "anvl.broadcast_in_dim"(%[[SQRT]])
// CHECK:         %[[DIV:.*]] = "anvl.div"(%[[SUB]], %[[SPREAD2]])
// CHECK:         %[[SPREAD3:.*]] = "anvl.broadcast_in_dim"(%[[G]])
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[SPREAD3]], %[[DIV]])
// CHECK:         return %[[BATCH_NORM_GRAD]]#0, %[[BATCH_NORM_GRAD]]#1, %[[BATCH_NORM_GRAD]]#2, %[[MUL]]

// HLO-LABEL: func.func @batch_norm_grad(
// HLO:         "stablehlo.batch_norm_grad"({{.*}}) <{epsilon = 0.000000e+00 : f32, feature_index = 1 : i64}>
// HLO:         return

// NUMBERS: f64[2,1] 0.0 0.0
// NUMBERS-NEXT: f64[1] 9.0
// NUMBERS-NEXT: f64[1] 11.0
// NUMBERS-NEXT: f64[2,1] -1.0 1.0
func.func @batch_norm_grad(
    %x: tensor<2x1xf64>, %scale: tensor<1xf64>, %mean: tensor<1xf64>, %variance: tensor<1xf64>,
    %g: tensor<2x1xf64>) -> (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>) {
  %dx, %dscale, %doffset = "anvl.batch_norm_grad"(%x, %scale, %mean, %variance, %g) {
    epsilon = 0.0 : f32,
    feature_index = 1 : i64
  } : (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<2x1xf64>)
      -> (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>)
  return %dx, %dscale, %doffset : tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>
}

func.func private @batch_norm_grad_vjp(
    tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<2x1xf64>, tensor<1xf64>)
    -> (tensor<2x1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<2x1xf64>)
    attributes {
      anvl.vjp = {
        callee = @batch_norm_grad, wrt = array<i64: 4>, targets = array<i64: 1>
      }
    }
