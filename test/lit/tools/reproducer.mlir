// RUN: anvl-opt %s --cse --canonicalize --mlir-generate-reproducer=%t.mlir -o %t.out
// RUN: filecheck %s --input-file=%t.mlir --check-prefix=TEXT
// RUN: anvl-opt %t.mlir --run-reproducer 2>&1 | filecheck %s --check-prefix=RAN
// RUN: anvl-opt %s --cse --mlir-elide-elementsattrs-if-larger=2 --verify-each=0 \
// RUN:   --mlir-generate-reproducer=%t.elided.mlir -o %t.out
// RUN: filecheck %s --input-file=%t.elided.mlir --check-prefix=ELIDED
// RUN: anvl-opt %t.elided.mlir --run-reproducer 2>&1 | filecheck %s --check-prefix=RAN
// RUN: not anvl-opt %s --run-reproducer 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not anvl-opt %t.mlir --run-reproducer --cse 2>&1 | filecheck %s --check-prefix=BOTH
// RUN: not anvl-opt %s --cse --mlir-generate-reproducer=%t.no/a.mlir 2>&1 \
// RUN:   | filecheck %s --check-prefix=FOLDER

// A reproducer is a program with its pipeline, in MLIR's form; this tool and MLIR's run it.

// TEXT: dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>
// TEXT-COUNT-2: "anvl.add"
// TEXT:      {-#
// TEXT-NEXT:   external_resources: {
// TEXT-NEXT:     mlir_reproducer: {
// TEXT-NEXT:       pipeline: "builtin.module(cse,canonicalize)",
// TEXT-NEXT:       disable_threading: true,
// TEXT-NEXT:       verify_each: true
// TEXT-NEXT:     }
// TEXT-NEXT:   }
// TEXT-NEXT: #-}

// ELIDED: dense_resource<__elided__>
// ELIDED: pipeline: "builtin.module(cse)"
// ELIDED: verify_each: false

// RAN-NOT: warning
// RAN: "anvl.add"
// RAN-NOT: "anvl.add"

// NONE: reproducer.mlir:1:1: error: run-reproducer: the input has no pipeline; a reproducer is text
// BOTH: anvl-opt: error: --run-reproducer runs the pipeline of the file, give no other passes
// FOLDER: anvl-opt: error: cannot write '{{.*}}/a.mlir', No such file or directory
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = "anvl.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %0 = "anvl.add"(%x, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = "anvl.add"(%x, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = "anvl.mul"(%0, %1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}
