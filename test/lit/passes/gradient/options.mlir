// RUN: not anvl-opt %s --anvl-gradient="function=g" 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not anvl-opt %s --anvl-gradient="function=f wrt=3" 2>&1 | filecheck %s --check-prefix=RANGE
// RUN: not anvl-opt %s --anvl-gradient="function=f wrt=1" 2>&1 | filecheck %s --check-prefix=FLOAT
// RUN: not anvl-opt %s --anvl-gradient="function=f wrt=0,0" 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not anvl-opt %s --anvl-gradient="function=f target=2" 2>&1 | filecheck %s --check-prefix=TARGET
// RUN: not anvl-opt %s --anvl-gradient="function=f target=1" 2>&1 | filecheck %s --check-prefix=SCALAR
// RUN: not anvl-opt %s --anvl-gradient="function=ints" 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not anvl-opt %s --anvl-gradient="function=f suffix=_g" 2>&1 | filecheck %s --check-prefix=TAKEN
// RUN: not anvl-opt %s --anvl-gradient="function=declared" 2>&1 | filecheck %s --check-prefix=BODY

// Options that make no sense for this module are refused, with what would.

// NAME:   anvl-gradient: there is no function @g; the module has @f, @ints, @f_g, @declared
// RANGE:  anvl-gradient: @f: wrt 3 is out of range for 2 positions
// FLOAT:  anvl-gradient: @f: wrt 1 is tensor<i32>; only floats have a derivative
// TWICE:  anvl-gradient: @f: wrt [0, 0] repeats a position
// TARGET: anvl-gradient: target 2 is not a result of @f, which has 2
// SCALAR: anvl-gradient: target 1 of @f is tensor<2xf64>, not a float scalar; return a sum of it
// NONE:   anvl-gradient: @ints has no float argument to differentiate with respect to
// TAKEN:  anvl-gradient: @f_g exists already; give another suffix
// BODY:   anvl-gradient: @declared must have a body of one block
func.func @f(%x: tensor<2xf64>, %n: tensor<i32>) -> (tensor<f64>, tensor<2xf64>) {
  %0 = "anvl.sum"(%x) {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  return %0, %x : tensor<f64>, tensor<2xf64>
}
func.func @ints(%n: tensor<i32>) -> tensor<i32> {
  return %n : tensor<i32>
}
func.func @f_g() {
  return
}
func.func private @declared(tensor<f64>) -> tensor<f64>
