// RUN: anvl-opt %s | filecheck %s

// CHECK:      func.func @wave(%[[X:[a-zA-Z0-9_]+]]:
// CHECK-NEXT: "anvl.sin"(%[[X]])
