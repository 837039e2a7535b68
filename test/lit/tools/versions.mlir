// RUN: anvl-opt %s -o %t
// RUN: filecheck %s --check-prefix=SAVED --input-file=%t
// RUN: anvl-opt %t | filecheck %s
// RUN: sed 's/"0.1"/"99.2"/; s/anvl.sin/anvl.unheard_of/' %t > %t.newer
// RUN: not anvl-opt %t.newer 2>&1 | filecheck %s --check-prefix=NEWER
// RUN: not %run %t.newer --function=f 2>&1 | filecheck %s --check-prefix=NEWER
// RUN: anvl-opt %s --anvl-lower-to-stablehlo -o %t.low
// RUN: filecheck %s --check-prefix=LOW --input-file=%t.low

// A file says the version of the dialect that it is written in; what goes on in a pipe does not, nor
// does a file without anvl ops.  A program of a newer version is refused for that, whatever is in it.

// SAVED: module attributes {anvl.version = "{{[0-9.]+}}"} {
// CHECK: module {
// NEWER: versions.mlir.tmp.newer:1:1: error: the program was written by a newer anvl and needs version 99.2 or later; this one reads programs up to {{[0-9.]+}}; install a newer anvl
// NEWER-NOT: unregistered
// LOW:   module {
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
