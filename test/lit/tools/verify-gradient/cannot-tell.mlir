// RUN: not anvl-opt %s --anvl-verify-gradient="function=relu args=[[1e-6,2]]" 2>&1 | filecheck %s
// RUN: anvl-opt %s --anvl-verify-gradient="function=relu args=[[0.0,2]]" -o %t 2>&1 | filecheck %s --check-prefix=TIE
// RUN: not anvl-opt %s --anvl-verify-gradient="function=log range=-2,-1" 2>&1 | filecheck %s --check-prefix=FINITE
// RUN: anvl-opt %s --anvl-verify-gradient="function=log range=0.1,2" -o %t 2>&1 | filecheck %s --check-prefix=RANGE
// RUN: not anvl-opt %s --anvl-verify-gradient="function=step args=[0.5]" 2>&1 | filecheck %s --check-prefix=STEP

// Where a kink or a jump is nearer than the step, differences say nothing of the derivative: that
// is told apart from a wrong one.  At the kink itself, the derivative is the mean of both sides.

// CHECK: x: tensor<2xf64>, {{.*}}, not smooth here
// CHECK: error: anvl-verify-gradient: @relu: of 1 derivatives, x: tensor<2xf64> is not smooth here; differences cannot tell: give another seed, range, eps or args
// TIE: x: tensor<2xf64>, {{.*}}, ok
func.func @relu(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = "anvl.constant"() {value = dense<0.0> : tensor<2xf64>} : () -> tensor<2xf64>
  %1 = "anvl.maximum"(%x, %0) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %1 : tensor<2xf64>
}

// FINITE: error: anvl-verify-gradient: @log: of 1 derivatives, x: tensor<2xf64> is not finite here; differences cannot tell
// RANGE: x: tensor<2xf64>, {{.*}}, ok
func.func @log(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = "anvl.log"(%x) : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// STEP: error: anvl-verify-gradient: @step: of 1 derivatives, x: tensor<f64> is not smooth here
func.func @step(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.round_nearest_even"(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
