// RUN: sed -e 's/%%[a-z]/&_new/g' -e 's/^ *%%/    %%/' %s > %t.renamed && anvl-diff %s %t.renamed | filecheck %s --allow-empty --check-prefix=SAME
// RUN: sed 's/sin/cos/; s/"anvl.sub"(%%a, %%x)/"anvl.sub"(%%x, %%a)/; s/LT/LE/' %s > %t.changed
// RUN: not anvl-diff %s %t.changed | filecheck %s --check-prefix=CHANGED
// RUN: sed '/^ .*exp/d; s/^  %%s = /%%k = "anvl.exp"(%%x) : (tensor<3xf32>) -> tensor<3xf32> %%s = /' %s > %t.moved
// RUN: not anvl-diff %s %t.moved | filecheck %s --check-prefix=MOVED
// RUN: sed 's/@f/@g/' %s | not anvl-diff %s - | filecheck %s --check-prefix=RENAMED
// RUN: anvl-opt %s --emit-bytecode -o %t.bytecode && anvl-diff %s %t.bytecode | filecheck %s --allow-empty --check-prefix=SAME

// SAME-NOT: {{.}}

// Names of values and blanks are no differences; other ops, operands, attributes and places are.

// CHANGED:      @f{{$}}
// CHANGED-NEXT:   ~ %s = "anvl.sin"(%x)
// CHANGED-NEXT:       name: anvl.sin -> anvl.cos
// CHANGED-NEXT:   ~ %p = stablehlo.compare LT, %iterArg_0, %n
// CHANGED-NEXT:       attribute comparison_direction: {{.*}}LT{{.*}} -> {{.*}}LE{{.*}}
// CHANGED-NEXT:   ~ %d = "anvl.sub"(%iterArg, %x)
// CHANGED-NEXT:       operand 0: %iterArg -> %x
// CHANGED-NEXT:       operand 1: %x -> %iterArg
// CHANGED-NEXT: 3 changed;

// MOVED:      @f{{$}}
// MOVED-NEXT:   > %k = "anvl.exp"(%x)
// MOVED-NEXT:       place: at the start of region 1 of {{.*}}stablehlo.while{{.*}} -> at the start of @f
// MOVED-NEXT: 1 moved;

// RENAMED:      @g{{$}}
// RENAMED-NEXT:   ~ func.func @f(
// RENAMED-NEXT:       attribute sym_name: "f" -> "g"
// RENAMED-NEXT: 1 changed;
func.func @f(%x: tensor<3xf32>, %n: tensor<i32>) -> tensor<3xf32> {
  %s = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %u = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%a = %s, %i = %c) : tensor<3xf32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %k = "anvl.exp"(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %d = "anvl.sub"(%a, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %m = "anvl.mul"(%d, %k) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %j = stablehlo.add %i, %u : tensor<i32>
    stablehlo.return %m, %j : tensor<3xf32>, tensor<i32>
  }
  return %r#0 : tensor<3xf32>
}
