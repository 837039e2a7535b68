// RUN: not anvl-opt %s --anvl-gradient="function=f tags=hiden" 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not anvl-opt %s --anvl-gradient="function=f tags=n" 2>&1 | filecheck %s --check-prefix=FLOAT
// RUN: not anvl-opt %s --anvl-gradient="function=f tags=twice" 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not anvl-opt %s --anvl-gradient="function=f tags=hidden,hidden" 2>&1 \
// RUN:   | filecheck %s --check-prefix=REPEATED
// RUN: not anvl-opt %s --anvl-gradient="function=sorted tags=x" 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not anvl-opt %s --anvl-gradient="tags=x" 2>&1 | filecheck %s --check-prefix=WHOSE

// Tags that are not there once, or have no derivative, are refused, with those that would do.

// NAME:     @f: there is no tag 'hiden', did you mean 'hidden'?; the tags are hidden, n, twice
// FLOAT:    @f: tag 'n' is tensor<i32>; only floats have a derivative
// TWICE:    @f: tag 'twice' is on 2 values, at "{{.*}}":20:8 and "{{.*}}":22:8; give
// REPEATED: @f: tags hidden, hidden repeat a tag
// NONE:     @sorted: there is no tag 'x'; the tags are none
// WHOSE:    tags needs function=f
func.func @f(%x: tensor<f64>, %n: tensor<i32>) -> tensor<f64> {
  %0 = "anvl.tag"(%x) {label = "hidden"} : (tensor<f64>) -> tensor<f64>
  %1 = "anvl.tag"(%n) {label = "n"} : (tensor<i32>) -> tensor<i32>
  %2 = "anvl.tag"(%0) {label = "twice"} : (tensor<f64>) -> tensor<f64>
  %3 = "anvl.neg"(%2) : (tensor<f64>) -> tensor<f64>
  %4 = "anvl.tag"(%3) {label = "twice"} : (tensor<f64>) -> tensor<f64>
  return %4 : tensor<f64>
}
// The body of a sort is no place of the function: it runs as often as there are comparisons.
func.func @sorted(%n: tensor<2xf64>) -> tensor<f64> {
  %0 = "stablehlo.sort"(%n) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %x = "anvl.tag"(%a) {label = "x"} : (tensor<f64>) -> tensor<f64>
    %1 = "anvl.compare"(%x, %b) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }) : (tensor<2xf64>) -> tensor<2xf64>
  %1 = "anvl.sum"(%0) {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  return %1 : tensor<f64>
}
