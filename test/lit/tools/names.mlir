// RUN: anvl-opt %s | filecheck %s
// RUN: anvl-opt < %s | filecheck %s
// RUN: anvl-opt %s --split-input-file | filecheck %s
// RUN: anvl-opt %s | anvl-opt | filecheck %s
// RUN: anvl-opt %s --mlir-use-nameloc-as-prefix=0 | filecheck %s --check-prefix=NUMBERS
// RUN: anvl-opt %s --mlir-print-debuginfo --mlir-print-local-scope | filecheck %s --check-prefix=PLACES

// Text keeps the names of its values: of arguments, also of bodies, and of results. What has no name
// has a number, and a location in the text stays as it is.

// CHECK-LABEL: func.func @f(%in: tensor<3xf32>, %n-1.x$: tensor<f32>)
// CHECK-NEXT:    %0 = "anvl.sin"(%in)
// CHECK-NEXT:    %y = stablehlo.cosine %0
// CHECK-NEXT:    %mine = "anvl.neg"(%y)
// CHECK-NEXT:    %sum = stablehlo.reduce(%mine init: %n-1.x$)
// CHECK-NEXT:      reducer(%left: tensor<f32>, %right: tensor<f32>)
// CHECK-NEXT:      %both = stablehlo.add %left, %right
// CHECK:         return %sum

// NUMBERS:      func.func @f(%arg0: tensor<3xf32>, %arg1: tensor<f32>)
// NUMBERS-NEXT:    %0 = "anvl.sin"(%arg0)

// PLACES: stablehlo.cosine {{.*}}loc("y"("{{.*}}names.mlir":[[# @LINE + 5]]:8))
// PLACES: "anvl.neg"{{.*}} loc("mine")
func.func @f(%in: tensor<3xf32>,
             %n-1.x$ : tensor<f32>) -> tensor<f32> {
  %0 = "anvl.sin"(%in) : (tensor<3xf32>) -> tensor<3xf32>
  %y = stablehlo.cosine %0 : tensor<3xf32>
  %theirs = "anvl.neg"(%y) : (tensor<3xf32>) -> tensor<3xf32> loc("mine")
  %sum = stablehlo.reduce(%theirs init: %n-1.x$) across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
   reducer(%left: tensor<f32>, %right: tensor<f32>) {
    %both = stablehlo.add %left, %right : tensor<f32>
    %again = stablehlo.add %both, %right : tensor<f32>
    stablehlo.return %again : tensor<f32>
  }
  return %sum : tensor<f32>
}
