// RUN: not anvl-opt %s --pass-pipeline="builtin.module(func.func(anvl-merge-loops))" 2>&1 | filecheck %s
// RUN: not anvl-opt %s --anvl-merge-loops="all=true" 2>&1 | filecheck %s --check-prefix=OPTION

// The pass is one of whole modules, without options.

// CHECK: anvl-merge-loops: runs on builtin.module, not on func.func; take it out of func.func(...)
// OPTION: anvl-merge-loops: no option 'all'; this pass takes none
func.func @f() {
  return
}
