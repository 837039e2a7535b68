// RUN: anvl-opt %s --load=%S/Inputs/counting_pass.py -o %t --mlir-pass-statistics \
// RUN:   -p "cse,func.func(my-drop-negations),cse" 2>&1 | filecheck %s
// RUN: anvl-opt %s --load=%S/Inputs/counting_pass.py -o %t --mlir-pass-statistics \
// RUN:   -p "cse,func.func(my-drop-negations),cse" --mlir-pass-statistics-display=list 2>&1 \
// RUN:   | filecheck %s --check-prefix=LIST
// RUN: not anvl-opt %s --mlir-pass-statistics-display=tree 2>&1 \
// RUN:   | filecheck %s --check-prefix=CHOICE

// Each pass has the counts of its own, summed over the functions that it ran on, and the number of
// ops before and after it.

// CHECK:      ... Pass statistics report ...
// CHECK-NEXT: {{^}}===---
// CHECK-NEXT: {{^}}cse
// CHECK-NEXT:   (S) 8 ops-before - Number of ops that the pass got
// CHECK-NEXT:   (S) 7 ops-after  - Number of ops that the pass left
// CHECK-NEXT: {{^}}'func.func' Pipeline
// CHECK-NEXT: {{^}}  my-drop-negations
// CHECK-NEXT: {{^}}    (S) 2 num-dropped - Number of negations that were dropped
// CHECK-NEXT: {{^}}    (S) 5 ops-before  - Number of ops that the pass got
// CHECK-NEXT: {{^}}    (S) 3 ops-after   - Number of ops that the pass left
// CHECK-NEXT: {{^}}cse
// CHECK-NEXT:   (S) 5 ops-before
// CHECK-NEXT:   (S) 5 ops-after

// LIST-NOT:  Pipeline
// LIST:      {{^}}cse
// LIST-NEXT:   (S) 13 ops-before
// LIST-NEXT:   (S) 12 ops-after
// LIST-NEXT: {{^}}my-drop-negations
// LIST-NEXT:   (S) 2 num-dropped
// LIST-NOT:  {{^}}cse

// CHOICE: --mlir-pass-statistics-display is pipeline or list, got 'tree'
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = "anvl.neg"(%x) : (tensor<f32>) -> tensor<f32>
  %1 = "anvl.neg"(%x) : (tensor<f32>) -> tensor<f32>
  %2 = "anvl.mul"(%0, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}

func.func @g(%x: tensor<f32>) -> tensor<f32> {
  %0 = "anvl.neg"(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
