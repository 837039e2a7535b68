// RUN: anvl-opt %s --anvl-gradient="function=f split target=1 results=target suffix=_b" \
// RUN:   | filecheck %s --check-prefix=ONE
// RUN: not anvl-opt %s --anvl-gradient="function=f target=0,1" 2>&1 | filecheck %s --check-prefix=MANY
// RUN: not anvl-opt %s --anvl-gradient="function=f split target=1,1" 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not anvl-opt %s --anvl-gradient="function=f split target=2" 2>&1 | filecheck %s --check-prefix=FLOAT
// RUN: not anvl-opt %s --anvl-gradient="function=f split target=3" 2>&1 | filecheck %s --check-prefix=RANGE
// RUN: not anvl-opt %s --anvl-gradient="function=f split wrt=0,0" 2>&1 | filecheck %s --check-prefix=WRT
// RUN: not anvl-opt %s --anvl-gradient="function=ints split" 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not anvl-opt %s --anvl-gradient="function=f results=some" 2>&1 | filecheck %s --check-prefix=SOME
// RUN: not anvl-opt %s --anvl-gradient="function=f split suffix=_x" 2>&1 | filecheck %s --check-prefix=TAKEN
// RUN: not anvl-opt %s --anvl-gradient="split results=none" 2>&1 | filecheck %s --check-prefix=ALONE
// RUN: anvl-opt %s --anvl-gradient="function=f split" -o %t
// RUN: not anvl-opt %t --anvl-gradient="function=f split" 2>&1 | filecheck %s --check-prefix=AGAIN

// ONE-LABEL: func.func @f_b_fwd(%x: tensor<2xf64>, %n: tensor<i32>) -> (tensor<2xf64> {r.y},
// ONE-LABEL: func.func @f_b_bwd({{.*}}%cotangent1: tensor<2xf64>) -> tensor<2xf64>

// MANY:  anvl-gradient: target [0, 1] names 2 results; give one, or split, for a cotangent of each
// TWICE: anvl-gradient: @f: target [1, 1] repeats a position
// FLOAT: anvl-gradient: @f: target 2 is tensor<i32>; only floats have a derivative
// RANGE: anvl-gradient: @f: target 3 is out of range for 3 positions
// WRT:   anvl-gradient: @f: wrt [0, 0] repeats a position
// NONE:  anvl-gradient: @ints has no float result to differentiate
// SOME:  anvl-gradient: results must be one of all, target, none, got 'some'
// TAKEN: anvl-gradient: @f_x_bwd exists already; give another suffix
// ALONE: anvl-gradient: results and split need function=f
// AGAIN: anvl-gradient: @f_bwd exists already; give another suffix
func.func @f(%x: tensor<2xf64>, %n: tensor<i32>) -> (tensor<f64>, tensor<2xf64> {r.y}, tensor<i32>) {
  %s = "anvl.sum"(%x) {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  %y = "anvl.exp"(%x) : (tensor<2xf64>) -> tensor<2xf64>
  return %s, %y, %n : tensor<f64>, tensor<2xf64>, tensor<i32>
}
func.func @ints(%x: tensor<f64>, %n: tensor<i32>) -> tensor<i32> {
  return %n : tensor<i32>
}
func.func @f_x_bwd() {
  return
}
