// RUN: not anvl-opt %s --anvl-forward="function=g" 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not anvl-opt %s --anvl-forward="function=f wrt=3" 2>&1 | filecheck %s --check-prefix=RANGE
// RUN: not anvl-opt %s --anvl-forward="function=f wrt=1" 2>&1 | filecheck %s --check-prefix=FLOAT
// RUN: not anvl-opt %s --anvl-forward="function=f wrt=0,0" 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not anvl-opt %s --anvl-forward="function=ints" 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not anvl-opt %s --anvl-forward="function=f suffix=_g" 2>&1 | filecheck %s --check-prefix=TAKEN
// RUN: not anvl-opt %s --anvl-forward="function=declared" 2>&1 | filecheck %s --check-prefix=BODY
// RUN: not anvl-opt %s --anvl-forward="wrt=0" 2>&1 | filecheck %s --check-prefix=ALONE

// Options that make no sense for this module are refused, with what would.

// NAME:   anvl-forward: there is no function @g; the module has @f, @ints, @f_g, @declared
// RANGE:  anvl-forward: @f: wrt 3 is out of range for 2 positions
// FLOAT:  anvl-forward: @f: wrt 1 is tensor<i32>; only floats have a derivative
// TWICE:  anvl-forward: @f: wrt [0, 0] repeats a position
// NONE:   anvl-forward: @ints has no float argument to differentiate with respect to
// TAKEN:  anvl-forward: @f_g exists already; give another suffix
// BODY:   anvl-forward: @declared must have a body of one block
// ALONE:  anvl-forward: wrt needs function=f
func.func @f(%x: tensor<2xf64>, %n: tensor<i32>) -> (tensor<2xf64>, tensor<i32>) {
  return %x, %n : tensor<2xf64>, tensor<i32>
}
func.func @ints(%n: tensor<i32>) -> tensor<i32> {
  return %n : tensor<i32>
}
func.func @f_g() {
  return
}
func.func private @declared(tensor<f64>) -> tensor<f64>
