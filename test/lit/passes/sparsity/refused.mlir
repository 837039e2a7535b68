// RUN: not anvl-opt %s --anvl-sparsity 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not anvl-opt %s --anvl-sparsity=function=f_vjp 2>&1 | filecheck %s --check-prefix=DECLARED
// RUN: not anvl-opt %s --anvl-sparsity=function=calls 2>&1 | filecheck %s --check-prefix=CALLS
// RUN: not anvl-opt %s --anvl-sparsity="function=f args=2" 2>&1 | filecheck %s --check-prefix=ARGS
// RUN: not anvl-opt %s --anvl-sparsity="function=f results=0,1" 2>&1 | filecheck %s --check-prefix=RESULTS
// RUN: anvl-opt %s --anvl-gradient --anvl-sparsity=function=calls 2>&1 >/dev/null | filecheck %s --check-prefix=EXPANDED
// RUN: anvl-opt %s --anvl-sparsity=function=f > %t.once 2>/dev/null
// RUN: anvl-opt %t.once --anvl-sparsity=function=f 2>/dev/null | diff %t.once -
// RUN: anvl-opt %s | diff %t.once -

// The module stays as it is, and a function that is not there, or declared, is named.

// NONE: error: anvl-sparsity: there is no function @main with a body; the module has @f, @f_vjp, @calls: name one by function=
// DECLARED: error: anvl-sparsity: there is no function @f_vjp with a body;
// CALLS: error: anvl-sparsity: @calls calls @f_vjp, which has no body; run anvl-gradient, anvl-forward and anvl-vectorize first
// ARGS: error: anvl-sparsity: args has 2, but @f has 1 arguments
// RESULTS: error: anvl-sparsity: results has 1, but @f has 1 results
// EXPANDED: @calls: result 0 by argument 0: 2 of 2x2
// EXPANDED-NEXT: rows 0-1: i
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "anvl.sin"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @f_vjp(tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) attributes {anvl.vjp = {callee = @f, targets = array<i64: 0>, wrt = array<i64: 0>}}
func.func @calls(%x: tensor<2xf32>, %g: tensor<2xf32>) -> tensor<2xf32> {
  %0:2 = call @f_vjp(%x, %g) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#1 : tensor<2xf32>
}
