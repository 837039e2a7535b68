// RUN: anvl-opt %s --mlir-print-value-users | filecheck %s
// RUN: anvl-opt %s --mlir-print-value-users --mlir-use-nameloc-as-prefix=0 \
// RUN:   --mlir-print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: anvl-opt %s --mlir-print-value-users | anvl-opt | filecheck %s --check-prefix=READ

// The users of each value follow it as a comment, the last first; ops without results get numbers.

// CHECK-LABEL: func.func @f(%x: tensor<3xf32>, %unused: tensor<3xf32>)
// CHECK-NEXT:    // %x is used by %product, %[[SINE:[0-9]+]]
// CHECK-NEXT:    // %unused is unused
// CHECK-NEXT:    %[[SINE]] = "anvl.sin"(%x) {{.*}} // users: %product, %[[COSINE:[0-9]+]]
// CHECK-NEXT:    %[[COSINE]] = "anvl.cos"(%[[SINE]]) {{.*}} // unused
// CHECK-NEXT:    %product = "anvl.mul"(%[[SINE]], %x) {{.*}} // user: %[[RETURN:[0-9]+]]
// CHECK-NEXT:    return %product : tensor<3xf32> // id: %[[RETURN]]

// GENERIC:      ^bb0(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>):
// GENERIC-NEXT:   // %arg0 is used by %{{[0-9]+}}, %[[SINE:[0-9]+]]
// GENERIC:        %[[SINE]] = "anvl.sin"(%arg0)

// READ:     func.func @f
// READ-NOT: user
func.func @f(%x: tensor<3xf32>, %unused: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.cos"(%0) : (tensor<3xf32>) -> tensor<3xf32>
  %product = "anvl.mul"(%0, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %product : tensor<3xf32>
}
