// Written by tools/dev/op_table.py (`make ops`), for `mlir-opt --irdl-file=`.
module {
  irdl.dialect @anvl {
    irdl.operation @constant {
      %0 = irdl.any
      irdl.attributes {"value" = %0}
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @captured {
      %0 = irdl.any
      irdl.attributes {"index" = %0}
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @iota {
      %0 = irdl.any
      irdl.attributes {"iota_dimension" = %0}
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @broadcast_in_dim {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"broadcast_dimensions" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @reshape {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @transpose {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"permutation" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @reverse {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"dimensions" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @slice {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      %2 = irdl.any
      %3 = irdl.any
      irdl.attributes {"start_indices" = %1, "limit_indices" = %2, "strides" = %3}
      %4 = irdl.any
      irdl.results(y: %4)
    }
    irdl.operation @get_dimension_size {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"dimension" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @set_dimension_size {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      %2 = irdl.any
      irdl.attributes {"size" = %1, "dimension" = %2}
      %3 = irdl.any
      irdl.results(y: %3)
    }
    irdl.operation @neg {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @exp {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @expm1 {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @log {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @log1p {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @sqrt {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @rsqrt {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @cbrt {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @sin {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @cos {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @tan {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @tanh {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @logistic {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @logistic_slope {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @sech_squared {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @rough_zero {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @sinh {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @cosh {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @asin {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @acos {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @atan {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @asinh {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @acosh {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @atanh {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @erf {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @erfc {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @erf_inv {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @lgamma {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @digamma {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @square {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @ceil {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @floor {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @round_nearest_even {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @round_nearest_afz {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @not {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @popcnt {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @count_leading_zeros {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @add {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @sub {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @mul {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @div {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @rem {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @maximum {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @minimum {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @polygamma {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @zeta {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @nextafter {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @mulhi {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @and {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @or {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @xor {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @shift_left {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @shift_right_logical {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @shift_right_arithmetic {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @pow {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @real {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @imag {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @conj {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @complex {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @abs {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @sign {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @fft {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      %2 = irdl.any
      irdl.attributes {"fft_type" = %1, "fft_length" = %2}
      %3 = irdl.any
      irdl.results(y: %3)
    }
    irdl.operation @top_k {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"k" = %1}
      %2 = irdl.any
      %3 = irdl.any
      irdl.results(values: %2, indices: %3)
    }
    irdl.operation @share_ties {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axis" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @sum {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axes" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @prod {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axes" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @max {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axes" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @min {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axes" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @all {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axes" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @any {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axes" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @argmax {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axis" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @argmin {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axis" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @order_statistics {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, positions: %1)
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @pad {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, padding_value: %1)
      %2 = irdl.any
      %3 = irdl.any
      %4 = irdl.any
      irdl.attributes {"edge_padding_low" = %2, "edge_padding_high" = %3, "interior_padding" = %4}
      %5 = irdl.any
      irdl.results(y: %5)
    }
    irdl.operation @rng_bit_generator {
      %0 = irdl.any
      irdl.operands(initial_state: %0)
      %1 = irdl.any
      irdl.attributes {"rng_algorithm" = %1}
      %2 = irdl.any
      %3 = irdl.any
      irdl.results(output_state: %2, output: %3)
    }
    irdl.operation @tag {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"label" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @check {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(ok: %0, words: %1)
      %2 = irdl.any
      %3 = irdl.any
      %4 = irdl.any
      %5 = irdl.any
      irdl.attributes {"message" = %2, "names" = %3, "types" = %4, "shape" = %5}
    }
    irdl.operation @exp2 {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @log2 {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @log10 {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @is_finite {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @is_inf {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @is_pos_inf {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @is_neg_inf {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @compare {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.attributes {"comparison_direction" = %2}
      %3 = irdl.any
      irdl.results(z: %3)
    }
    irdl.operation @select {
      %0 = irdl.any
      %1 = irdl.any
      %2 = irdl.any
      irdl.operands(pred: %0, on_true: %1, on_false: %2)
      %3 = irdl.any
      irdl.results(y: %3)
    }
    irdl.operation @clamp {
      %0 = irdl.any
      %1 = irdl.any
      %2 = irdl.any
      irdl.operands(low: %0, x: %1, high: %2)
      %3 = irdl.any
      irdl.results(y: %3)
    }
    irdl.operation @convert {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @bitcast_convert {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @ldexp {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, n: %1)
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @silu {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @silu_slope {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @gelu_tanh {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @gelu_tanh_slope {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @integer_pow {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"exponent" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @reduce_precision {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      %2 = irdl.any
      irdl.attributes {"exponent_bits" = %1, "mantissa_bits" = %2}
      %3 = irdl.any
      irdl.results(y: %3)
    }
    irdl.operation @norm {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      %2 = irdl.any
      irdl.attributes {"axes" = %1, "order" = %2}
      %3 = irdl.any
      irdl.results(y: %3)
    }
    irdl.operation @hypot {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @atan2 {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @logaddexp {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.results(z: %2)
    }
    irdl.operation @sinc {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"order" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @stop_gradient {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @gather {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, start_indices: %1)
      %2 = irdl.any
      %3 = irdl.any
      irdl.attributes {"dimension_numbers" = %2, "slice_sizes" = %3}
      %4 = irdl.any
      irdl.results(y: %4)
    }
    irdl.operation @dynamic_slice {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, start_indices: variadic %1)
      %2 = irdl.any
      irdl.attributes {"slice_sizes" = %2}
      %3 = irdl.any
      irdl.results(y: %3)
    }
    irdl.operation @dynamic_update_slice {
      %0 = irdl.any
      %1 = irdl.any
      %2 = irdl.any
      irdl.operands(x: %0, update: %1, start_indices: variadic %2)
      %3 = irdl.any
      irdl.results(y: %3)
    }
    irdl.operation @cholesky {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @dot_general {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      irdl.attributes {"dot_dimension_numbers" = %2}
      %3 = irdl.any
      irdl.results(z: %3)
    }
    irdl.operation @solve {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(a: %0, b: %1)
      %2 = irdl.any
      irdl.attributes {"transpose_a" = %2}
      %3 = irdl.any
      irdl.results(x: %3)
    }
    irdl.operation @det {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @cofactors {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @slogdet {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      %2 = irdl.any
      irdl.results(sign: %1, logarithm: %2)
    }
    irdl.operation @lu {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      %2 = irdl.any
      %3 = irdl.any
      irdl.results(lu: %1, pivots: %2, permutation: %3)
    }
    irdl.operation @qr {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      %2 = irdl.any
      irdl.results(q: %1, r: %2)
    }
    irdl.operation @pinv {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"rcond" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @pinv_move {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, c: %1)
      %2 = irdl.any
      irdl.attributes {"rcond" = %2}
      %3 = irdl.any
      irdl.results(w: %3)
    }
    irdl.operation @ragged_dot {
      %0 = irdl.any
      %1 = irdl.any
      %2 = irdl.any
      irdl.operands(x: %0, y: %1, group_sizes: %2)
      %3 = irdl.any
      irdl.attributes {"ragged_dot_dimension_numbers" = %3}
      %4 = irdl.any
      irdl.results(z: %4)
    }
    irdl.operation @eigh {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      %2 = irdl.any
      irdl.results(w: %1, v: %2)
    }
    irdl.operation @eigvalsh {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(w: %1)
    }
    irdl.operation @eig {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      %2 = irdl.any
      irdl.results(w: %1, v: %2)
    }
    irdl.operation @eigvals {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(w: %1)
    }
    irdl.operation @svd {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      %2 = irdl.any
      %3 = irdl.any
      irdl.results(u: %1, s: %2, vt: %3)
    }
    irdl.operation @svdvals {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(s: %1)
    }
    irdl.operation @nuclear_norm {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @triangular_solve {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(a: %0, b: %1)
      %2 = irdl.any
      irdl.attributes {"transpose_a" = %2}
      %3 = irdl.any
      irdl.results(x: %3)
    }
    irdl.operation @cumsum {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axis" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @cumprod {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axis" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @cummax {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axis" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @cummin {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axis" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @cumlogsumexp {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axis" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @linear_recurrence {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(a: %0, b: %1)
      %2 = irdl.any
      irdl.attributes {"axis" = %2}
      %3 = irdl.any
      irdl.results(y: %3)
    }
    irdl.operation @batch_norm_inference {
      %0 = irdl.any
      %1 = irdl.any
      %2 = irdl.any
      %3 = irdl.any
      %4 = irdl.any
      irdl.operands(x: %0, scale: %1, offset: %2, mean: %3, variance: %4)
      %5 = irdl.any
      %6 = irdl.any
      irdl.attributes {"epsilon" = %5, "feature_index" = %6}
      %7 = irdl.any
      irdl.results(y: %7)
    }
    irdl.operation @batch_norm_training {
      %0 = irdl.any
      %1 = irdl.any
      %2 = irdl.any
      irdl.operands(x: %0, scale: %1, offset: %2)
      %3 = irdl.any
      %4 = irdl.any
      irdl.attributes {"epsilon" = %3, "feature_index" = %4}
      %5 = irdl.any
      %6 = irdl.any
      %7 = irdl.any
      irdl.results(y: %5, batch_mean: %6, batch_variance: %7)
    }
    irdl.operation @batch_norm_grad {
      %0 = irdl.any
      %1 = irdl.any
      %2 = irdl.any
      %3 = irdl.any
      %4 = irdl.any
      irdl.operands(x: %0, scale: %1, mean: %2, variance: %3, grad_output: %4)
      %5 = irdl.any
      %6 = irdl.any
      irdl.attributes {"epsilon" = %5, "feature_index" = %6}
      %7 = irdl.any
      %8 = irdl.any
      %9 = irdl.any
      irdl.results(grad_x: %7, grad_scale: %8, grad_offset: %9)
    }
    irdl.operation @logsumexp {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axes" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @softmax {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axes" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @log_softmax {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"axes" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @all_reduce {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, place: %1)
      %2 = irdl.any
      %3 = irdl.any
      %4 = irdl.any
      irdl.attributes {"mesh" = %2, "axes" = %3, "kind" = %4}
      %5 = irdl.any
      irdl.results(y: %5)
    }
    irdl.operation @all_gather {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, place: %1)
      %2 = irdl.any
      %3 = irdl.any
      %4 = irdl.any
      irdl.attributes {"mesh" = %2, "axes" = %3, "dimension" = %4}
      %5 = irdl.any
      irdl.results(y: %5)
    }
    irdl.operation @reduce_scatter {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, place: %1)
      %2 = irdl.any
      %3 = irdl.any
      %4 = irdl.any
      irdl.attributes {"mesh" = %2, "axes" = %3, "dimension" = %4}
      %5 = irdl.any
      irdl.results(y: %5)
    }
    irdl.operation @all_to_all {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, place: %1)
      %2 = irdl.any
      %3 = irdl.any
      %4 = irdl.any
      %5 = irdl.any
      irdl.attributes {"mesh" = %2, "axes" = %3, "split_dimension" = %4, "concat_dimension" = %5}
      %6 = irdl.any
      irdl.results(y: %6)
    }
    irdl.operation @collective_permute {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, place: %1)
      %2 = irdl.any
      %3 = irdl.any
      %4 = irdl.any
      irdl.attributes {"mesh" = %2, "axes" = %3, "pairs" = %4}
      %5 = irdl.any
      irdl.results(y: %5)
    }
    irdl.operation @axis_index {
      %0 = irdl.any
      %1 = irdl.any
      irdl.attributes {"mesh" = %0, "axes" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @with_sharding {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      %2 = irdl.any
      irdl.attributes {"mesh" = %1, "spec" = %2}
      %3 = irdl.any
      irdl.results(y: %3)
    }
    irdl.operation @bessel_i0e {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @bessel_i1e {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.results(y: %1)
    }
    irdl.operation @bessel_ie {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"order" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @bessel_i {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"order" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @igamma {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(a: %0, x: %1)
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @igammac {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(a: %0, x: %1)
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @betainc {
      %0 = irdl.any
      %1 = irdl.any
      %2 = irdl.any
      irdl.operands(a: %0, b: %1, x: %2)
      %3 = irdl.any
      irdl.results(y: %3)
    }
    irdl.operation @psi {
      %0 = irdl.any
      irdl.operands(x: %0)
      %1 = irdl.any
      irdl.attributes {"order" = %1}
      %2 = irdl.any
      irdl.results(y: %2)
    }
    irdl.operation @convolution {
      %0 = irdl.any
      %1 = irdl.any
      irdl.operands(x: %0, y: %1)
      %2 = irdl.any
      %3 = irdl.any
      %4 = irdl.any
      irdl.attributes {"dimension_numbers" = %2, "feature_group_count" = %3, "batch_group_count" = %4}
      %5 = irdl.any
      irdl.results(z: %5)
    }
  }
}
