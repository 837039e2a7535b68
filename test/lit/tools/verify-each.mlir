// RUN: anvl-opt %s --cse --verify-each=0 | filecheck %s
// RUN: anvl-opt %s --cse --verify-each | filecheck %s
// RUN: anvl-opt %s --cse --mlir-timing -o %t 2>&1 | filecheck %s --check-prefix=TIMING

// Checking after each pass can be turned off; time is reported by phase and pass.

// TIMING: Execution time report
// TIMING: Parser
// TIMING: cse
// TIMING: Total

// CHECK: func.func @f
func.func @f() { return }
