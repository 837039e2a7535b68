// RUN: not anvl-opt %S/Inputs/endless.mlirbc 2>&1 | filecheck %s

// MLIR's reader allocates 1 GB a second for these 413 bytes, and does not end: the child process
// that reads them first does.

// CHECK: endless.mlirbc:1:1: error: malformed bytecode, its reader takes memory without end
