// RUN: anvl-opt %s --split-input-file --verify-diagnostics \
// RUN:   --anvl-vectorize="function=f size=2" --anvl-control-flow

// What to do with members that differ in the branch is one of two.

func.func @f(%i: tensor<i32>) -> tensor<i32> {
  // expected-error@+1 {{stablehlo.case: anvl.batch is "all"; it must be "select" or "loop"}}
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %i : tensor<i32>
  }) {anvl.batch = "all"} : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

func.func @f(%p: tensor<i1>) -> tensor<i1> {
  // expected-error@+1 {{stablehlo.if: anvl.batch is 1 : i32; it must be "select" or "loop"}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %p : tensor<i1>
  }, {
    stablehlo.return %p : tensor<i1>
  }) {anvl.batch = 1 : i32} : (tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>
}
