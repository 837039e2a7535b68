// RUN: anvl-opt %s --anvl-roll | filecheck %s
// RUN: not anvl-opt %s --anvl-roll="always=true" 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not anvl-opt %s --anvl-roll="least=1" 2>&1 | filecheck %s --check-prefix=LEAST
// RUN: anvl-opt %s --anvl-roll="report=true" 2>&1 >%t | filecheck %s --check-prefix=REPORT

// The same ops, but some read the value before, others one further back: they are linked in different ways.
// Rolling all that repeats then says so, with the first place that differs.

// CHECK-COUNT-12: anvl.sin
// CHECK-NOT: anvl.scan
// NONE: error: anvl-roll: nothing repeats 4 times in the same way; {{[0-9]+}} repetitions of 3 ops at {{.*}}none.mlir{{.*}}: stay, anvl.sin at {{.*}}none.mlir{{.*}} reads another value than in the other repetitions
// NONE-SAME: leave out `always`
// LEAST: error: anvl-roll: least is 1; a stretch repeats at least 2 times
// REPORT: 12 repetitions of 3 ops at {{.*}}none.mlir{{.*}}: stay, anvl.sin at
func.func @main(%v0: tensor<f32>) -> tensor<f32> {
  %s1 = "anvl.sin"(%v0) : (tensor<f32>) -> tensor<f32>
  %c1 = "anvl.cos"(%v0) : (tensor<f32>) -> tensor<f32>
  %v1 = "anvl.mul"(%s1, %c1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s2 = "anvl.sin"(%v1) : (tensor<f32>) -> tensor<f32>
  %c2 = "anvl.cos"(%v1) : (tensor<f32>) -> tensor<f32>
  %v2 = "anvl.mul"(%s2, %c2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s3 = "anvl.sin"(%v2) : (tensor<f32>) -> tensor<f32>
  %c3 = "anvl.cos"(%v2) : (tensor<f32>) -> tensor<f32>
  %v3 = "anvl.mul"(%s3, %c3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s4 = "anvl.sin"(%v2) : (tensor<f32>) -> tensor<f32>
  %c4 = "anvl.cos"(%v3) : (tensor<f32>) -> tensor<f32>
  %v4 = "anvl.mul"(%s4, %c4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s5 = "anvl.sin"(%v4) : (tensor<f32>) -> tensor<f32>
  %c5 = "anvl.cos"(%v4) : (tensor<f32>) -> tensor<f32>
  %v5 = "anvl.mul"(%s5, %c5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s6 = "anvl.sin"(%v5) : (tensor<f32>) -> tensor<f32>
  %c6 = "anvl.cos"(%v5) : (tensor<f32>) -> tensor<f32>
  %v6 = "anvl.mul"(%s6, %c6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s7 = "anvl.sin"(%v6) : (tensor<f32>) -> tensor<f32>
  %c7 = "anvl.cos"(%v6) : (tensor<f32>) -> tensor<f32>
  %v7 = "anvl.mul"(%s7, %c7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s8 = "anvl.sin"(%v5) : (tensor<f32>) -> tensor<f32>
  %c8 = "anvl.cos"(%v7) : (tensor<f32>) -> tensor<f32>
  %v8 = "anvl.mul"(%s8, %c8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s9 = "anvl.sin"(%v8) : (tensor<f32>) -> tensor<f32>
  %c9 = "anvl.cos"(%v8) : (tensor<f32>) -> tensor<f32>
  %v9 = "anvl.mul"(%s9, %c9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s10 = "anvl.sin"(%v9) : (tensor<f32>) -> tensor<f32>
  %c10 = "anvl.cos"(%v9) : (tensor<f32>) -> tensor<f32>
  %v10 = "anvl.mul"(%s10, %c10) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s11 = "anvl.sin"(%v9) : (tensor<f32>) -> tensor<f32>
  %c11 = "anvl.cos"(%v10) : (tensor<f32>) -> tensor<f32>
  %v11 = "anvl.mul"(%s11, %c11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s12 = "anvl.sin"(%v11) : (tensor<f32>) -> tensor<f32>
  %c12 = "anvl.cos"(%v11) : (tensor<f32>) -> tensor<f32>
  %v12 = "anvl.mul"(%s12, %c12) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %v12 : tensor<f32>
}
