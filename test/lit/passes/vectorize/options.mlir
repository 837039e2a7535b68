// RUN: not anvl-opt %s --anvl-vectorize="function=g size=2" 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not anvl-opt %s --anvl-vectorize="function=f batched=3 size=2" 2>&1 \
// RUN:   | filecheck %s --check-prefix=RANGE
// RUN: not anvl-opt %s --anvl-vectorize="function=f batched=0,0 size=2" 2>&1 \
// RUN:   | filecheck %s --check-prefix=TWICE
// RUN: not anvl-opt %s --anvl-vectorize="function=f" 2>&1 | filecheck %s --check-prefix=SIZE
// RUN: not anvl-opt %s --anvl-vectorize="function=f size=2 suffix=_g" 2>&1 \
// RUN:   | filecheck %s --check-prefix=TAKEN
// RUN: not anvl-opt %s --anvl-vectorize="function=declared size=2" 2>&1 \
// RUN:   | filecheck %s --check-prefix=BODY
// RUN: not anvl-opt %s --anvl-vectorize="function=scalar size=2" 2>&1 \
// RUN:   | filecheck %s --check-prefix=TENSOR
// RUN: not anvl-opt %s --anvl-vectorize="size=2" 2>&1 | filecheck %s --check-prefix=ALONE

// Options that make no sense for this module are refused, with what would.

// NAME:   anvl-vectorize: there is no function @g; the module has @f, @f_g, @declared, @scalar
// RANGE:  anvl-vectorize: @f: batched 3 is out of range for 2 positions
// TWICE:  anvl-vectorize: @f: batched [0, 0] repeats a position
// SIZE:   anvl-vectorize: function=f needs a size, such as size=8
// TAKEN:  anvl-vectorize: @f_g exists already; give another suffix
// BODY:   anvl-vectorize: @declared must have a body of one block
// TENSOR: anvl-vectorize: @scalar: f64 is not a tensor, so it cannot have a batch axis
// ALONE:  anvl-vectorize: batched and size need function=f
func.func @f(%x: tensor<2xf64>, %n: tensor<i32>) -> (tensor<2xf64>, tensor<i32>) {
  return %x, %n : tensor<2xf64>, tensor<i32>
}
func.func @f_g() {
  return
}
func.func private @declared(tensor<f64>) -> tensor<f64>
func.func @scalar(%x: f64) -> f64 {
  return %x : f64
}
