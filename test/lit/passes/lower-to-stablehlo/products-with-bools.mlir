// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s

// The product of a converted bool with numbers that are repeated is a choice between these and
// their products with 0 (Note [Products with bools]).

// CHECK-LABEL: func.func @weights_of_rows(
// CHECK-SAME:    %[[MASK:[a-zA-Z0-9_]+]]: tensor<2x3xi1>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<2xf32>
// CHECK:         %[[FULL:.*]] = stablehlo.broadcast_in_dim %[[Y]], dims = [0]
// CHECK:         %[[ZEROS:.*]] = stablehlo.multiply %[[Y]], %{{.*}} : tensor<2xf32>
// CHECK-NEXT:    %[[ONCE:.*]] = stablehlo.reduce_precision %[[ZEROS]]
// CHECK-NEXT:    %[[NONE:.*]] = stablehlo.broadcast_in_dim %[[ONCE]], dims = [0]
// CHECK-NEXT:    %[[CHOSEN:.*]] = stablehlo.select %[[MASK]], %[[FULL]], %[[NONE]]
// CHECK-NEXT:    return %[[CHOSEN]]
func.func @weights_of_rows(%mask: tensor<2x3xi1>, %y: tensor<2xf32>) -> tensor<2x3xf32> {
  %0 = "anvl.convert"(%mask) {dtype = "f32"} : (tensor<2x3xi1>) -> tensor<2x3xf32>
  %1 = "anvl.broadcast_in_dim"(%y) {broadcast_dimensions = array<i64: 0>, shape = array<i64: 2, 3>} : (tensor<2xf32>) -> tensor<2x3xf32>
  %2 = "anvl.mul"(%1, %0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// A literal's zeros have its sign.

// CHECK-LABEL: func.func @a_literal(
// CHECK-DAG:     %[[HALF:.*]] = stablehlo.constant dense<-5.000000e-01>
// CHECK-DAG:     %[[ZERO:.*]] = stablehlo.constant dense<-0.000000e+00>
// CHECK:         stablehlo.select %{{.*}}, %[[HALF]], %[[ZERO]]
// CHECK-NOT:     stablehlo.multiply
// CHECK:         return
func.func @a_literal(%mask: tensor<3xi1>) -> tensor<3xf32> {
  %0 = "anvl.convert"(%mask) {dtype = "f32"} : (tensor<3xi1>) -> tensor<3xf32>
  %1 = "anvl.constant"() {value = dense<-0.5> : tensor<3xf32>} : () -> tensor<3xf32>
  %2 = "anvl.mul"(%0, %1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}

// Other products stay as they are.

// CHECK-LABEL: func.func @others(
// CHECK:         %[[NUMBERS:.*]] = stablehlo.select
// CHECK-NEXT:    stablehlo.multiply %[[NUMBERS]], %y : tensor<3xf32>
// CHECK-NEXT:    stablehlo.multiply %[[NUMBERS]], %[[NUMBERS]] : tensor<3xf32>
// CHECK:         return
func.func @others(%mask: tensor<3xi1>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = "anvl.convert"(%mask) {dtype = "f32"} : (tensor<3xi1>) -> tensor<3xf32>
  %1 = "anvl.mul"(%0, %y) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = "anvl.mul"(%0, %0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1, %2 : tensor<3xf32>, tensor<3xf32>
}
