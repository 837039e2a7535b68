// RUN: anvl-opt %s --mlir-print-unique-ssa-ids | filecheck %s
// RUN: anvl-opt %s --mlir-print-unique-ssa-ids --mlir-print-ir-after-all --cse -o %t 2>&1 \
// RUN:   | filecheck %s
// RUN: anvl-opt %s | filecheck %s --check-prefix=NAMES

// No two values of the module have one name, so values have numbers, not their names.

// NAMES-LABEL: @f(%x: tensor<f32>
// NAMES:         %y = "anvl.sin"(%x)
// NAMES-LABEL: @g(%x: tensor<f32>
// NAMES:         %y = "anvl.cos"(%x)

// CHECK:         @f(%[[X:arg[0-9]+]]: tensor<f32>
// CHECK:         %[[Y:[0-9]+]] = "anvl.sin"(%[[X]])
// CHECK-NOT:     %[[X]]:
// CHECK-NOT:     %[[Y]] =
// CHECK:         "anvl.cos"
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %y = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

func.func @g(%x: tensor<f32>) -> tensor<f32> {
  %y = "anvl.cos"(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
