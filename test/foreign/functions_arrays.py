"""Functions of arrays: elementwise, special, reductions, shapes, indices, sorting, FFT."""

import jax
import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np
from case import draws as d
from case import table
from jax import lax

__all__ = ["CASES"]

X = d.normal(3, 4)
V = d.normal(6)
Z = d.complex(2, 3)
X64 = d.normal(3, 4, dtype="float64")
#: Derivatives that jax has not, or of another branch: by differences, in 64 bits.
NUMERIC = {"by_differences": True, "x64": True}
BF16 = d.bf16(4, 5)
F16 = d.normal(4, 5).astype("float16")

ELEMENTWISE = table([
    ("gelu", jax.nn.gelu, (X,)),
    ("gelu of erf", lambda x: jax.nn.gelu(x, approximate=False), (X,)),
    ("activations", lambda x: (jax.nn.silu(x), jax.nn.softplus(x), jax.nn.elu(x), jax.nn.selu(x),
                               jax.nn.mish(x), jax.nn.hard_swish(x), jax.nn.leaky_relu(x)), (X,)),
    ("trigonometric", lambda x: (jnp.sin(x), jnp.cos(x), jnp.tan(x), jnp.arctan(x),
                                 jnp.arctan2(x, 2 + x * x)), (X,)),
    ("hyperbolic", lambda x: (jnp.sinh(x), jnp.cosh(x), jnp.tanh(x), jnp.arcsinh(x),
                              jnp.arctanh(x), jnp.arccosh(2 + x)), (d.inside(5),)),
    ("exponents", lambda x: (jnp.exp2(x), jnp.log1p(x), jnp.expm1(x), jnp.cbrt(x), jnp.log2(x),
                             lax.rsqrt(x), x**3, x**-2, x**0.5), (d.positive(5),)),
    ("rounding", lambda x: jnp.floor(x) + jnp.ceil(x) + jnp.round(x) + jnp.trunc(x) + x, (3 * V,)),
    ("clip and where", lambda x: jnp.where(x > 0, jnp.clip(x, -0.5, 0.5), jnp.abs(x)), (X,)),
    ("special functions", lambda x: (special.gammaln(x), special.digamma(x), special.erf(x),
                                     special.erfc(x), special.erfinv(x / 3), special.i0e(x),
                                     special.i1e(x), special.ndtri(x / 3), special.xlogy(x, x),
                                     special.entr(x), special.polygamma(1, x)), (d.positive(4),)),
    ("incomplete gamma and beta", lambda a, x: (special.gammainc(a, x), special.gammaincc(a, x),
                                                special.betainc(1.5, 2.5, x / 3)),
     (d.positive(3, dtype="float64"), d.positive(3, dtype="float64")), NUMERIC),
    ("zeta and bessel", lambda x: (special.zeta(x + 1.5, 2.0), special.i0(x), special.i1(x)),
     (d.positive(3, dtype="float64"),), NUMERIC),
    ("integers and bits", lambda a, b: (a // b, a % b, a & b, a ^ b, ~a, a << 2, a >> 1,
                                        lax.population_count(a), lax.clz(a), a**3, jnp.gcd(a, b)),
     (d.integers(5, high=1000), 1 + d.integers(5))),
    ("unsigned and narrow", lambda a, b: (a * b, lax.shift_right_logical(a, b), a.astype("int8"),
                                          a.astype("uint16") * np.uint16(999)),
     (d.integers(5, dtype="uint8"), d.integers(5, high=4, dtype="uint8"))),
    ("bools", lambda a, b: (a & b, a | ~b, jnp.any(a), jnp.all(b), a < b, jnp.sum(a)),
     (d.normal(4) > 0, d.normal(4) > 0)),
    ("bitcast", lambda x: lax.bitcast_convert_type(x, jnp.int32) >> 3, (X,)),
    ("frexp and ldexp", lambda x: jnp.ldexp(jnp.frexp(x)[0], 3), (X,),
     {"without": dict.fromkeys(("grad", "jvp"), "jax's own rule; in the program it is bits")}),
    ("complex", lambda z: (jnp.exp(z), jnp.log(z), jnp.sqrt(z), z * jnp.conj(z), jnp.abs(z),
                           jnp.angle(z), z.real, z.imag, jnp.sin(z), jnp.tanh(z)), (Z,)),
    ("complex tan", jnp.tan, (Z,)),
    ("complex inverse functions", lambda z: (jnp.arcsin(z), jnp.arctan(z), jnp.arccosh(z)),
     (d.complex(4, dtype="complex128"),), NUMERIC),  # jax's arccosh: of another branch
    ("real part of reals", lambda x: jnp.real(x) + jnp.imag(x), (X,)),
    ("nextafter and copysign", lambda x, y: (jnp.nextafter(x, y), jnp.copysign(x, y)),
     (d.normal(3), d.normal(3)), {"without": dict.fromkeys(("grad", "jvp"), "jax has none")}),
])  # fmt: skip

REDUCTIONS = table([
    ("sums and products", lambda x: (jnp.sum(x, 0), jnp.prod(x, 1), jnp.mean(x), jnp.var(x, 0),
                                     jnp.std(x)), (X,)),
    ("extremes", lambda x: (jnp.max(x, 0), jnp.min(x), jnp.ptp(x), jnp.argmax(x, 1),
                            jnp.argmin(x)), (X,)),
    ("complex sum", lambda z: jnp.sum(z * z, 1), (Z,)),
    ("complex product", lambda z: jnp.prod(z, 0), (Z,)),
    ("complex sum from elsewhere", lambda z: lax.reduce(z, np.complex64(1 + 2j), lax.add, (0,)),
     (Z,)),
    ("sum from elsewhere", lambda x: lax.reduce(x, np.float32(2), lax.mul, (0,)), (X,)),
    ("reduce with a body", lambda x: lax.reduce(
        x, 0.0, lambda a, b: a + b + 0.1 * a * b, (0,)), (X64,), NUMERIC),
    ("reduce of two", lambda x: lax.reduce(
        (x, 2 * x), (0.0, 1.0), lambda a, b: (a[0] + b[0], a[1] * b[1]), (1,)), (X64,), NUMERIC),
    ("logsumexp", lambda x: jax.nn.logsumexp(x, axis=1), (X,)),
    ("cumulative", lambda x: (jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, 1),
                              lax.cumlogsumexp(x, 0), lax.cumsum(x, 1, reverse=True)), (X,)),
    ("associative scan", lambda x: lax.associative_scan(lambda a, b: a * b + b, x), (V,)),
    ("windows", lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 2), "SAME"), (X,)),
    ("bf16 sum", lambda x: jnp.sum(x, 0), (BF16,)),
    ("median and quantile", lambda x: (jnp.median(x), jnp.quantile(x, 0.3, axis=0)), (X,)),
])  # fmt: skip

SHAPES = table([
    ("reshape and transpose", lambda x: x.T.reshape(2, 6)[::-1, 1:].swapaxes(0, 1), (X,)),
    ("concatenate and pad", lambda x: jnp.pad(jnp.concatenate([x, x * 2]), ((1, 0), (2, 1))), (X,)),
    ("pad modes", lambda x: (jnp.pad(x, 1, mode="reflect"), jnp.pad(x, 1, mode="edge"),
                             lax.pad(x, 0.0, ((1, -1, 1), (0, 1, 2)))), (X,)),
    ("stack and split", lambda x: jnp.stack(jnp.split(x, 2, 1)) * 2, (X,)),
    ("tile, repeat, roll", lambda x: (jnp.tile(x, (2, 1)), jnp.repeat(x, 2, 0),
                                      jnp.roll(x, 1, 1)), (X,)),
    ("triangles", lambda x: (jnp.tril(x), jnp.triu(x, 1), jnp.diag(x), jnp.trace(x)), (X,)),
    ("meshgrid and iota", lambda x: jnp.sum(jnp.outer(x, jnp.arange(6.0)) * jnp.eye(6)), (V,)),
    ("dynamic slices", lambda x, i: lax.dynamic_update_slice(
        x, lax.dynamic_slice(x, (i, 1), (2, 2)) * 3, (0, i)), (X, np.int32(1))),
    ("take and index", lambda x, i: (x[i], jnp.take(x, i, axis=1), x[1:, ::2], x[..., None]),
     (X, np.array([0, 2, 1], "int32"))),
    ("take along an axis", lambda x, i: jnp.take_along_axis(x, i, 1),
     (X, d.integers(3, 2, high=4))),
    ("scatter", lambda x, i: (x.at[i].add(2 * x[i]), x.at[i, 0].set(1.0), x.at[i].mul(x[:2]),
                              x.at[i].max(0.3)), (X64, np.array([0, 2], "int32")), NUMERIC),
    ("scatter out of bounds", lambda x, i: x.at[i].set(x[0], mode="drop"),
     (X, np.array([1, 7], "int32"))),
    ("segment sum", lambda x, i: jax.ops.segment_sum(x, i, 3), (V, d.integers(6, high=3))),
    ("nonzero of a size", lambda x: jnp.where(x > 0, size=6)[0], (V,)),
    ("interp and searchsorted", lambda x: jnp.interp(x, jnp.arange(6.0), x**2), (V,)),
    ("boolean masks", lambda x: jnp.sum(jnp.where(jnp.isnan(x) | (x > 1), 0, x)), (X,)),
    ("embedding", lambda w, i: w[i].mean(1), (d.normal(10, 3), d.integers(2, 4))),
    ("one hot", lambda i: jax.nn.one_hot(i, 5), (d.integers(4, high=5),)),
])  # fmt: skip

SORTING = table([
    ("sort", lambda x: (jnp.sort(x, 0), jnp.argsort(x)), (X,)),
    ("sort of pairs", lambda x, y: lax.sort((x, y), num_keys=1), (V, d.normal(6))),
    ("top k", lambda x: lax.top_k(x, 2), (X,)),
    ("approximate top k", lambda x: lax.approx_max_k(x, 2)[0], (d.normal(8),),
     {"without": {"artifact": "an unstable routine"}}),
    ("unique of a size", lambda x: jnp.unique(x, size=4), (d.integers(6, high=4),)),
    ("sort of complex", jnp.sort, (Z,)),
])  # fmt: skip

OTHERS = table([
    ("fft", lambda x: jnp.abs(jnp.fft.fft(x)) ** 2, (V,)),
    ("rfft and irfft", lambda x: jnp.fft.irfft(jnp.fft.rfft(x) * 2), (V,)),
    ("fft of two axes", lambda z: jnp.fft.ifft2(jnp.fft.fftn(z) ** 2), (Z,)),
    ("convolve", lambda x, y: jnp.convolve(x, y), (V, d.normal(3))),
    ("polynomials", lambda x: jnp.polyval(x, x), (V,)),
    ("threefry", lambda n: jax.random.normal(jax.random.key(n), (3,)), (np.uint32(7),)),
    ("random choices", lambda n: (jax.random.bernoulli(jax.random.key(n), 0.3, (4,)),
                                  jax.random.permutation(jax.random.key(n), 5),
                                  jax.random.categorical(jax.random.key(n), jnp.zeros(3))),
     (np.uint32(7),)),
    ("gamma draws", lambda a: jax.random.gamma(jax.random.key(0), a), (d.positive(2),),
     {"without": dict.fromkeys(("grad", "jvp"), "jax differentiates draws implicitly")}),
    ("uniform draws and dropout", lambda x: jnp.where(
        jax.random.uniform(jax.random.key(1), x.shape) < 0.5, x * 2, 0), (X,)),
    ("generator of bits", lambda k: lax.rng_bit_generator(k, (3,), jnp.uint32)[1],
     (np.arange(4, dtype="uint32"),)),
    ("8 bit floats", lambda x: x.astype(jnp.float8_e4m3fn).astype("float32") * 2, (X,)),
    ("4 bit integers", lambda x: (x.astype(jnp.int4) + jnp.int4(1)).astype("int32"),
     (d.integers(5, high=6),)),
    ("2 bit integers", lambda x, i: (x * 2, (i.astype(jnp.int2) * jnp.int2(1)).astype("int32")),
     (V, d.integers(6, high=2)), {"refused": {"vmap": "tensor<6xi2> has an element"}}),
    ("reduced precision", lambda x: lax.reduce_precision(x, 5, 10), (X,)),
    ("float64", lambda x: jnp.sum(jnp.sin(x) ** 2, 0), (d.normal(3, 4, dtype="float64"),),
     {"x64": True}),
    ("complex128", lambda z: jnp.sum(jnp.exp(z)), (d.complex(3, dtype="complex128"),),
     {"x64": True}),
    ("mixed 64 and 32 bits", lambda x, i: x.astype("float64")[i] * 2,
     (V, d.integers(3, high=6, dtype="int64")), {"x64": True}),
    ("half precision", lambda x: jnp.tanh(x) / (1 + jnp.abs(x)), (F16,)),
    ("empty arrays", lambda x: (jnp.sum(x, 0), x * 2), (np.zeros((0, 3), "float32"),)),
])  # fmt: skip

CASES = [*ELEMENTWISE, *REDUCTIONS, *SHAPES, *SORTING, *OTHERS]
