// RUN: not anvl-opt %s --pass-pipeline=cse 2>&1 | filecheck %s --check-prefix=BARE
// RUN: not anvl-opt %s --pass-pipeline="func.func(cse)" 2>&1 | filecheck %s --check-prefix=OTHER
// RUN: anvl-opt %s --canonicalize --anvl-gradient --dump-pass-pipeline 2>&1 | filecheck %s --check-prefix=DUMP
// RUN: anvl-opt --help=canonicalize | filecheck %s --check-prefix=HELP
// RUN: not anvl-opt --help=canonicalise 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: anvl-opt %s --split-input-file --output-split-marker="// NEXT" | filecheck %s --check-prefix=MARKER
// RUN: anvl-opt %s --mlir-print-skip-regions | filecheck %s --check-prefix=SKIP
// RUN: not anvl-opt %s --emit-bytecode-version=2 2>&1 | filecheck %s --check-prefix=VERSION
// RUN: not anvl-opt %s --split-input-file --emit-bytecode --emit-bytecode-version=99 2>&1 | filecheck %s --check-prefix=TOO-NEW
// RUN: anvl-opt %s --emit-bytecode --emit-bytecode-version=6 | anvl-opt | filecheck %s --check-prefix=MARKER-A

// A pipeline names its op, as in mlir-opt, and what is dumped has every default.

// BARE:    write --pass-pipeline="builtin.module(cse)", or -p "cse"
// OTHER:   func.func is not the op of the input
// DUMP:      Pass Manager with 2 passes:
// DUMP-NEXT: builtin.module(
// DUMP-NEXT:   canonicalize{{.*}}max-iterations=10
// DUMP-NEXT:   anvl-gradient{{.*}}slots=32
// HELP:    --canonicalize {{.*}}Canonicalize operations
// HELP:      max-iterations=<10>
// UNKNOWN: canonicalise: no such pass, did you mean 'canonicalize'?
// MARKER:    func.func private @a
// MARKER:    // NEXT
// MARKER:    func.func private @b
// MARKER-A:  func.func private @a
// SKIP:    module {...}
// VERSION: --emit-bytecode-version needs --emit-bytecode

// TOO-NEW:     error: unsupported version requested 99, must be in range [0, 6]
// TOO-NEW-NOT: see current
func.func private @a()
// -----
func.func private @b()
