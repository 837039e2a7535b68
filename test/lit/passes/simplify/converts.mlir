// RUN: anvl-opt %s --verify-each --anvl-simplify | filecheck %s

// To a float that holds every value, and back: no conversion.  Back from one that does not, or to another dtype: two.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[B:[a-z0-9]+]]: tensor<bf16>, %[[X:[a-z0-9]+]]: tensor<f32>, %[[H:[a-z0-9]+]]: tensor<f16>, %[[I:[a-z0-9]+]]: tensor<i32>
// CHECK-NEXT:    %[[N:.*]] = "anvl.convert"(%[[X]]) : (tensor<f32>) -> tensor<bf16>
// CHECK-NEXT:    %[[W:.*]] = "anvl.convert"(%[[N]]) : (tensor<bf16>) -> tensor<f32>
// CHECK-NEXT:    %[[F:.*]] = "anvl.convert"(%[[H]]) : (tensor<f16>) -> tensor<f32>
// CHECK-NEXT:    %[[C:.*]] = "anvl.convert"(%[[F]]) : (tensor<f32>) -> tensor<bf16>
// CHECK-NEXT:    %[[J:.*]] = "anvl.convert"(%[[I]]) : (tensor<i32>) -> tensor<f32>
// CHECK-NEXT:    %[[K:.*]] = "anvl.convert"(%[[J]]) : (tensor<f32>) -> tensor<i32>
// CHECK-NEXT:    return %[[B]], %[[X]], %[[W]], %[[C]], %[[K]]
func.func @main(%b: tensor<bf16>, %x: tensor<f32>, %h: tensor<f16>, %i: tensor<i32>) -> (tensor<bf16>, tensor<f32>, tensor<f32>, tensor<bf16>, tensor<i32>) {
  %0 = "anvl.convert"(%b) : (tensor<bf16>) -> tensor<f32>
  %1 = "anvl.convert"(%0) : (tensor<f32>) -> tensor<bf16>
  %2 = "anvl.convert"(%x) : (tensor<f32>) -> tensor<f64>
  %3 = "anvl.convert"(%2) : (tensor<f64>) -> tensor<f32>
  %4 = "anvl.convert"(%x) : (tensor<f32>) -> tensor<bf16>
  %5 = "anvl.convert"(%4) : (tensor<bf16>) -> tensor<f32>
  %6 = "anvl.convert"(%h) : (tensor<f16>) -> tensor<f32>
  %7 = "anvl.convert"(%6) : (tensor<f32>) -> tensor<bf16>
  %8 = "anvl.convert"(%i) : (tensor<i32>) -> tensor<f32>
  %9 = "anvl.convert"(%8) : (tensor<f32>) -> tensor<i32>
  return %1, %3, %5, %7, %9 : tensor<bf16>, tensor<f32>, tensor<f32>, tensor<bf16>, tensor<i32>
}
