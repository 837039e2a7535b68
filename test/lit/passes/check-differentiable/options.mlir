// RUN: not anvl-opt %s --anvl-check-differentiable="function=g" 2>&1 | filecheck %s -check-prefix=NAME
// RUN: not anvl-opt %s --anvl-check-differentiable="wrt=0" 2>&1 | filecheck %s -check-prefix=ALONE
// RUN: not anvl-opt %s --anvl-check-differentiable="function=f wrt=1" 2>&1 \
// RUN:   | filecheck %s -check-prefix=INT
// RUN: not anvl-opt %s --anvl-check-differentiable="function=f wrt=7" 2>&1 \
// RUN:   | filecheck %s -check-prefix=POSITION
// RUN: not anvl-opt %s --anvl-check-differentiable="function=f wrt=0 target=1" 2>&1 \
// RUN:   | filecheck %s -check-prefix=TARGET
// RUN: not anvl-opt %s --anvl-check-differentiable="function=h" 2>&1 | filecheck %s -check-prefix=NONE
// RUN: anvl-opt %s --anvl-check-differentiable="function=f" | filecheck %s
// RUN: anvl-opt %s --anvl-check-differentiable | filecheck %s

// What the options may be, and that nothing happens where all is well, or nothing is declared.

// NAME: anvl-check-differentiable: there is no function @g; the module has @f, @h
// ALONE: anvl-check-differentiable: wrt and target need function=f
// INT: anvl-check-differentiable: @f: wrt 1 is tensor<i32>; only floats have a derivative
// POSITION: anvl-check-differentiable: @f: wrt 7 is out of range for 2 positions
// TARGET: anvl-check-differentiable: @f: target 1 is tensor<i32>; only floats have a derivative
// NONE: anvl-check-differentiable: @h has no float argument to differentiate with respect to

// CHECK:      func.func @f(
// CHECK-NEXT:   "anvl.sin"
// CHECK-NEXT:   return
// CHECK:      func.func @h(
// CHECK-NOT:  func.func
func.func @f(%x: tensor<2xf32>, %n: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
  %0 = "anvl.sin"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %n : tensor<2xf32>, tensor<i32>
}
func.func @h(%n: tensor<i32>) -> tensor<i32> {
  return %n : tensor<i32>
}
