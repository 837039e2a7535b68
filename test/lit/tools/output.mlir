// RUN: echo kept > %t && not anvl-opt %s --split-input-file -o %t 2>&1 | filecheck %s --check-prefix=ERROR
// RUN: filecheck %s --check-prefix=KEPT --input-file=%t
// RUN: anvl-opt %s --split-input-file --verify-diagnostics=only-expected -o %t 2>&1 | filecheck %s --allow-empty --check-prefix=QUIET
// RUN: filecheck %s --check-prefix=WRITTEN --input-file=%t

// A run that fails leaves the output file as it was.

// ERROR:   Dialect `no' not found
// KEPT:    kept
// QUIET-NOT: error
// WRITTEN: func.func @good
func.func @good() { return }

// -----

// expected-error @+1 {{not found}}
no.op
