// RUN: anvl-opt %s --verify-each --anvl-hoist-constants | filecheck %s
// RUN: anvl-opt %s --anvl-hoist-constants --anvl-hoist-constants | filecheck %s
// RUN: anvl-opt %s --anvl-hoist-constants=threshold=3 | filecheck %s --check-prefix=NONE
// RUN: anvl-opt %s --anvl-hoist-constants=literals=false | filecheck %s --check-prefix=NONE

// Literals with more elements than the threshold become arguments, that carry the literal; equal
// ones are one argument, also of complex numbers. A number stays, and so does a fill of any size.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[C1:[a-zA-Z0-9_]+]]: tensor<3xf32>
// CHECK-SAME:      {anvl.constant = "c1", anvl.value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>
// CHECK-SAME:    %[[C2:[a-zA-Z0-9_]+]]: tensor<2xcomplex<f32>>
// CHECK-SAME:      {anvl.constant = "c2", anvl.value = dense<[(1.000000e+00,2.000000e+00), (3.000000e+00,
// CHECK-NOT:     dense<[
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.0{{.*}}tensor<f32>
// CHECK-NEXT:    %[[FILL:.*]] = "anvl.constant"() {value = dense<2.0{{.*}}tensor<1000xf32>
// CHECK-NEXT:    %[[CFILL:.*]] = "anvl.constant"() {value = dense<(0.0{{.*}}tensor<1000xcomplex<f32>>
// CHECK-NEXT:    return %[[C1]], %[[C1]], %[[ONE]], %[[FILL]], %[[C2]], %[[C2]], %[[CFILL]]

// NONE-LABEL: func.func @main() ->
func.func @main() -> (tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<1000xf32>,
    tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<1000xcomplex<f32>>) {
  %0 = "anvl.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %1 = "anvl.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %2 = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %3 = "anvl.constant"() {value = dense<2.0> : tensor<1000xf32>} : () -> tensor<1000xf32>
  %4 = "anvl.constant"() {value = dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>}
      : () -> tensor<2xcomplex<f32>>
  %5 = "anvl.constant"() {value = dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>}
      : () -> tensor<2xcomplex<f32>>
  %6 = "anvl.constant"() {value = dense<(0.0, 0.0)> : tensor<1000xcomplex<f32>>}
      : () -> tensor<1000xcomplex<f32>>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<1000xf32>,
      tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<1000xcomplex<f32>>
}
