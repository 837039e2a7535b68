// RUN: anvl-opt %s | filecheck %s --check-prefixes=CHECK,UNUSED

// CHECK:     func.func @wave(%[[X:\w+]]:
// CHECK-NXT: "anvl.sin"(%[[Y]])
// CHECK:     dense<1.0
// CHECK-NOT: anvl.cos.*
