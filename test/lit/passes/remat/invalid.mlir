// RUN: not anvl-opt %s --anvl-remat="budget=8" 2>&1 | filecheck %s --check-prefix=WHOSE
// RUN: not anvl-opt %s --anvl-remat="function=f" 2>&1 | filecheck %s --check-prefix=EMPTY
// RUN: not anvl-opt %s --anvl-remat="function=main budget=8pounds" 2>&1 \
// RUN:   | filecheck %s --check-prefix=BYTES
// RUN: not anvl-opt %s --anvl-remat="function=main policy=nope" 2>&1 \
// RUN:   | filecheck %s --check-prefix=POLICY
// RUN: not anvl-opt %s --anvl-remat="function=main policy=exp budget=8" 2>&1 \
// RUN:   | filecheck %s --check-prefix=BOTH
// RUN: not anvl-opt %s --anvl-remat="function=g budget=8" 2>&1 \
// RUN:   | filecheck %s --check-prefix=UNKNOWN

// WHOSE: anvl-remat: budget and policy need function=f
// EMPTY: anvl-remat: there is no function @f; the module has @main
// BYTES: anvl-remat: budget '8pounds' is not a number of bytes; write 1000, 64MiB or 1.5GB
// POLICY: anvl-remat: policy 'nope' is not the name of an op
// BOTH: anvl-remat: give a budget or a policy, not both
// UNKNOWN: anvl-remat: there is no function @g; the module has @main
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
