// RUN: anvl-opt %s -p "cse,func.func(canonicalize,cse),symbol-dce" --mlir-timing -o %t 2>&1 \
// RUN:   | filecheck %s
// RUN: anvl-opt %s -p "cse,func.func(canonicalize,cse)" --mlir-timing -o %t \
// RUN:   --mlir-timing-display=list 2>&1 | filecheck %s --check-prefix=LIST
// RUN: anvl-opt %s -p "cse,func.func(canonicalize)" --mlir-timing -o %t \
// RUN:   --mlir-output-format=json 2>&1 | %PYTHON -m json.tool --compact \
// RUN:   | filecheck %s --check-prefix=JSON
// RUN: anvl-opt %s --cse --mlir-timing -o %t --mlir-output-format=json \
// RUN:   --mlir-timing-display=list 2>&1 | %PYTHON -m json.tool --compact \
// RUN:   | filecheck %s --check-prefix=JSON-LIST
// RUN: not anvl-opt %s --mlir-timing-display=table 2>&1 | filecheck %s --check-prefix=CHOICE

// Times are printed as MLIR's tools do: what is nested in an op below it, or a list by time, in
// which each pass is once; or as JSON, whose nested lists end in an empty object.

// CHECK:      {{^}}===-----{{-*}}==={{$}}
// CHECK-NEXT: ... Execution time report ...
// CHECK:        Total Execution Time: {{[0-9.]+}} seconds
// CHECK:        ----Wall Time----  ----Name----
// CHECK-NEXT:   {{[0-9.]+}} ({{.*}}%)  Parser
// CHECK-NEXT:   {{[0-9.]+}} ({{.*}}%)  cse
// CHECK-NEXT:   {{[0-9.]+}} ({{.*}}%)  'func.func' Pipeline
// CHECK-NEXT:   {{[0-9.]+}} ({{.*}}%)    canonicalize
// CHECK-NEXT:   {{[0-9.]+}} ({{.*}}%)    cse
// CHECK-NEXT:   {{[0-9.]+}} ({{.*}}%)  symbol-dce
// CHECK-NEXT:   {{[0-9.]+}} ({{.*}}%)  Output
// CHECK-NEXT:   {{[0-9.]+}} ({{.*}}%)  Rest
// CHECK-NEXT:   {{[0-9.]+}} (100.0%)  Total

// LIST-NOT:     Pipeline
// LIST-COUNT-1: {{ }}cse{{$}}
// LIST-NOT:     {{ }}cse{{$}}
// LIST:         {{ }}Total{{$}}

// JSON: [{"wall":{"duration":{{[0-9.]+}},"percentage":{{[0-9.]+}}},"name":"Parser","passes":[{}]},
// JSON-SAME: "name":"'func.func' Pipeline","passes":[{"wall":{{.*}}"name":"canonicalize","passes":[{}]},{}]}
// JSON-SAME: "percentage":100.0},"name":"Total"}]

// JSON-LIST:     "name":"cse"},
// JSON-LIST-NOT: passes

// CHOICE: anvl-opt: error: --mlir-timing-display is tree or list, got 'table'
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
