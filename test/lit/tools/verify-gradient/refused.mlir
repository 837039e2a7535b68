// RUN: not anvl-opt %s --anvl-verify-gradient 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not anvl-opt %s --anvl-verify-gradient="function=declared" 2>&1 | filecheck %s --check-prefix=BODY
// RUN: not anvl-opt %s --anvl-verify-gradient="function=f wrt=1" 2>&1 | filecheck %s --check-prefix=FLOAT
// RUN: not anvl-opt %s --anvl-verify-gradient="function=f wrt=0,0" 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not anvl-opt %s --anvl-verify-gradient="function=f target=2" 2>&1 | filecheck %s --check-prefix=TARGET
// RUN: not anvl-opt %s --anvl-verify-gradient="function=f target=1" 2>&1 | filecheck %s --check-prefix=INT
// RUN: not anvl-opt %s --anvl-verify-gradient="function=ints" 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not anvl-opt %s --anvl-verify-gradient="function=dynamic" 2>&1 | filecheck %s --check-prefix=SHAPE
// RUN: not anvl-opt %s --anvl-verify-gradient="function=foreign" 2>&1 | filecheck %s --check-prefix=RULE
// RUN: not anvl-opt %s --anvl-verify-gradient="function=unknown" 2>&1 | filecheck %s --check-prefix=COMPILE
// RUN: not anvl-opt %s --pass-pipeline="builtin.module(func.func(anvl-verify-gradient))" 2>&1 | filecheck %s --check-prefix=NESTED

// What cannot be verified is refused, by what is wrong with it.

// NAME:    anvl-verify-gradient: there is no function @main; the module has @f, @ints, @declared
// BODY:    anvl-verify-gradient: @declared must have a body of one block
// FLOAT:   anvl-verify-gradient: @f: wrt 1 is tensor<i32>; only floats have a derivative
// TWICE:   anvl-verify-gradient: @f: wrt [0, 0] repeats a position
// TARGET:  anvl-verify-gradient: @f: target 2 is out of range for 2 positions
// INT:     anvl-verify-gradient: @f: target 1 is tensor<i32>; only floats have a derivative
// NONE:    anvl-verify-gradient: @ints: no argument is a float; there is nothing to verify
// SHAPE:   anvl-verify-gradient: @dynamic: argument 0 is tensor<?xf64>; only tensors of static shape can be run
// RULE:    refused.mlir:[[# @LINE + 15]]:8: error: {{.*}}@foreign: 1 of the ops cannot be differentiated:
// RULE-NEXT: stablehlo.sine at
// COMPILE: error: anvl-verify-gradient: @unknown could not be run: plugin: @unknown_verified: compile: no handler is registered
// NESTED:  anvl-verify-gradient: runs on builtin.module, not on func.func
func.func @f(%x: tensor<2xf64>, %n: tensor<i32>) -> (tensor<2xf64>, tensor<i32>) {
  return %x, %n : tensor<2xf64>, tensor<i32>
}
func.func @ints(%n: tensor<i32>) -> tensor<i32> {
  return %n : tensor<i32>
}
func.func private @declared(tensor<f64>) -> tensor<f64>
func.func @dynamic(%x: tensor<?xf64>) -> tensor<?xf64> {
  return %x : tensor<?xf64>
}
func.func @foreign(%x: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.sine %x : tensor<f64>
  return %0 : tensor<f64>
}
func.func @unknown(%x: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.custom_call @no_such_target(%x) : (tensor<f64>) -> tensor<f64>
  %1 = "anvl.stop_gradient"(%0) : (tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
