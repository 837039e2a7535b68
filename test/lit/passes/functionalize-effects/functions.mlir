// RUN: anvl-opt %s --verify-each --anvl-functionalize-effects | filecheck %s
// RUN: anvl-opt %s --anvl-functionalize-effects --anvl-functionalize-effects | filecheck %s

// The state goes through the functions that have an effect, and through what is declared of them:
// first among the arguments and the results, behind the results of the entry, which begins with
// none.  Positions count it.  A batch has a state for each member, and makes one of them.  A function
// without an effect stays as it is.  Doing it again changes nothing.

// CHECK-LABEL: func.func private @f(
// CHECK-SAME:    %[[CODE:[a-zA-Z0-9_]+]]: tensor<i32>, %[[WORDS:[a-zA-Z0-9_]+]]: tensor<2xui32>, %[[X:[a-zA-Z0-9_]+]]: tensor<f32>)
// CHECK-SAME:    -> (tensor<i32>, tensor<2xui32>, tensor<f32>)
// CHECK-NOT:     "anvl.check"
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1> : tensor<i32>}
// CHECK:         %[[C:.*]] = "anvl.select"(%[[FAILS:.*]], %[[ONE]], %[[CODE]])
// CHECK:         %[[W:.*]] = "anvl.select"(%{{.*}}, %{{.*}}, %[[WORDS]])
// CHECK:         return %[[C]], %[[W]], %[[Y:.*]] :

// CHECK-LABEL: func.func private @f_vjp(tensor<i32>, tensor<2xui32>, tensor<f32>, tensor<f32>)
// CHECK-SAME:    targets = array<i64: 2>, wrt = array<i64: 2>

// CHECK-LABEL: func.func private @f_jvp(tensor<i32>, tensor<2xui32>, tensor<f32>, tensor<f32>)
// CHECK-SAME:    wrt = array<i64: 2>

// CHECK-LABEL: func.func private @f_vmap(
// CHECK-SAME:    %[[CODE:[a-zA-Z0-9_]+]]: tensor<i32>, %[[WORDS:[a-zA-Z0-9_]+]]: tensor<2xui32>,
// CHECK:         %[[ALL:.*]]:3 = call @f_vmap_members(%{{.*}}, %{{.*}}, %{{.*}}) {{.*}} -> (tensor<3xi32>, tensor<3x2xui32>, tensor<3xf32>)
// CHECK:         "anvl.argmax"
// CHECK:         return %{{.*}}, %{{.*}}, %[[ALL]]#2
// CHECK-LABEL: func.func private @f_vmap_members(
// CHECK-SAME:    anvl.vmap = {batched = array<i64: 2>, callee = @f, results = array<i64: 0, 1, 2>, size = 3 : i64}

// CHECK-LABEL: func.func private @silent(%{{.*}}: tensor<f32>) -> tensor<f32>

// CHECK-LABEL: func.func private @each(tensor<i32>, tensor<2xui32>, tensor<f32>, tensor<3xf32>)
// CHECK-SAME:    anvl.scan = {body = @step, carry = 3 : i64,
// CHECK-LABEL: func.func private @step(%{{.*}}: tensor<i32>, %{{.*}}: tensor<2xui32>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>)

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    -> (tensor<3xf32>, tensor<f32>, tensor<i32> {anvl.state = "check"}, tensor<2xui32> {anvl.state = "check"})
// CHECK-SAME:    anvl.checks = [{message = "x", names = [], place = {{.*}}, shape = array<i64>, types = []}], anvl.members = 1 : i64
// CHECK:         %[[B:.*]]:3 = call @f_vmap(
// CHECK:         %[[D:.*]]:4 = call @f_vjp(%[[B]]#0, %[[B]]#1,
// CHECK:         %[[S:.*]] = call @silent(%[[D]]#3)
// CHECK:         %[[E:.*]]:3 = call @each(%[[D]]#0, %[[D]]#1, %[[S]],
// CHECK:         return %[[B]]#2, %[[E]]#2, %[[E]]#0, %[[E]]#1
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %ok = "anvl.compare"(%x, %zero) {comparison_direction = #stablehlo<comparison_direction GE>}
    : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %none = "anvl.constant"() {value = dense<0> : tensor<1xui32>} : () -> tensor<1xui32>
  "anvl.check"(%ok, %none) {message = "x", names = [], types = [], shape = array<i64>}
    : (tensor<i1>, tensor<1xui32>) -> ()
  %y = "anvl.log"(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

func.func private @f_vjp(tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    attributes {anvl.vjp = {callee = @f, wrt = array<i64: 0>, targets = array<i64: 0>}}

func.func private @f_jvp(tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    attributes {anvl.jvp = {callee = @f, wrt = array<i64: 0>}}

func.func private @f_vmap(tensor<3xf32>) -> tensor<3xf32> attributes {
  anvl.vmap = {callee = @f, batched = array<i64: 0>, results = array<i64: 0>, size = 3 : i64}
}

func.func private @silent(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

func.func private @each(tensor<f32>, tensor<3xf32>) -> tensor<f32> attributes {
  anvl.scan = {body = @step, carry = 1 : i64, xs = 1 : i64, length = 3 : i64, reverse = false}
}
func.func private @step(%c: tensor<f32>, %x: tensor<f32>) -> tensor<f32> {
  %y = call @f(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

func.func @main(%x: tensor<3xf32>, %y: tensor<f32>) -> (tensor<3xf32>, tensor<f32>) {
  %0 = call @f_vmap(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1:2 = call @f_vjp(%y, %y) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %2 = call @silent(%1#1) : (tensor<f32>) -> tensor<f32>
  %3 = call @each(%2, %x) : (tensor<f32>, tensor<3xf32>) -> tensor<f32>
  return %0, %3 : tensor<3xf32>, tensor<f32>
}
