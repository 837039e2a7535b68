"""Functions and networks of PyTorch that programs are written from, with their arguments.

torch-mlir writes no StableHLO for others: solvers and factors, FFT, complex numbers, `cond`, loops,
`tril`, `cumprod` and most of `torch.special`.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn
from torch import randn as r

__all__ = ["CASES", "Case"]


class Case(NamedTuple):
    """A function, or a network with its parameters.  Of a `random` one only types are compared."""

    name: str
    function: Callable[..., Any]
    args: Sequence[torch.Tensor]
    is_random: bool = False


torch.manual_seed(0)


def lstm(x, wi, wh, b):
    h = c = torch.zeros(x.shape[1], wh.shape[1])
    for step in x:
        i, f, g, o = (step @ wi.T + h @ wh.T + b).chunk(4, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
    return h


def vae(x, encoder, decoder, noise):
    mean, log_var = (x @ encoder).chunk(2, -1)
    y = torch.sigmoid((mean + torch.exp(0.5 * log_var) * noise) @ decoder)
    divergence = torch.mean(1 + log_var - mean**2 - log_var.exp())
    return F.binary_cross_entropy(y, torch.sigmoid(x)) - 0.5 * divergence


def indices(*rows):
    return torch.tensor(rows)


MASK = torch.tensor([[1, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1]]) > 0
QKV = (r(1, 2, 4, 4), r(1, 2, 4, 4), r(1, 2, 4, 4))
ENCODER = {"d_model": 8, "nhead": 2, "dim_feedforward": 16, "batch_first": True}

ARRAYS = [
    ("activations", lambda x: (F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), F.elu(x),
                               F.softplus(x), F.leaky_relu(x), F.hardtanh(x), F.hardswish(x),
                               F.mish(x), F.selu(x), F.relu6(x), F.logsigmoid(x)), (r(3, 4),)),
    ("elementwise", lambda x: (torch.sin(x), torch.tanh(x), torch.log(x * x + 1), torch.rsqrt(x**2),
                               torch.abs(x), torch.erf(x), torch.atan(x), torch.expm1(x),
                               torch.log1p(x * x), x.reciprocal(), torch.floor(x) + x,
                               torch.clamp(x, -0.5, 0.5)), (r(5),)),
    ("trigonometric", lambda x: (torch.tan(x), torch.sinh(x), torch.cosh(x), torch.asin(x / 4),
                                 torch.acos(x / 4), torch.asinh(x), torch.log2(x * x)), (r(5),)),
    ("softmax", lambda x: (F.softmax(x, -1), F.log_softmax(x, 0), torch.logsumexp(x, 1)),
     (r(3, 4),)),
    ("reductions", lambda x: (x.sum(), x.mean(1), x.amax(0), x.amin(1), x.var(1), x.std(0),
                              x.prod(1), torch.norm(x), x.max(1)[0], x.argmax(1)), (r(3, 4),)),
    ("cumulative sum", lambda x: torch.cumsum(x, 1), (r(3, 4),)),
    ("index", lambda x, i: (x[i], x[i, i]), (r(5, 3), indices(0, 2, 2))),
    ("index select", lambda x, i: torch.index_select(x, 1, i), (r(5, 3), indices(0, 2))),
    ("gather", lambda x, i: torch.gather(x, 1, i), (r(3, 4), indices([0, 1], [2, 3], [1, 1]))),
    ("scatter", lambda x, i, s: (torch.scatter(x, 1, i, s), torch.scatter_add(x, 1, i, s)),
     (r(3, 4), indices([0, 1], [2, 3], [1, 0]), r(3, 2))),
    ("index put and add", lambda x, i, s: (torch.index_put(x, (i,), s),
                                           torch.index_add(x, 0, i, s)),
     (r(5, 3), indices(0, 2), r(2, 3))),
    ("slices", lambda x: (x[1:3, ::2], x[..., -1], x.flip(0), torch.roll(x, 1, 0), x.T + 0,
                          x.unsqueeze(1).expand(4, 2, 5) + 0), (r(4, 5),)),
    ("parts", lambda x, y: (torch.cat([x, y], 1), torch.stack([x, y]), *torch.split(x, 2, 1)),
     (r(3, 4), r(3, 4))),
    ("padding", lambda x: (F.pad(x, (1, 2, 0, 1)), F.pad(x, (1, 1, 1, 1), mode="reflect"),
                           F.pad(x, (1, 1, 1, 1), mode="replicate")), (r(1, 1, 4, 4),)),
    ("sorts", lambda x: (*torch.sort(x, 1, descending=True), torch.topk(x, 2)[0]), (r(3, 4),)),
    ("products", lambda a, b, c: (a @ b, torch.bmm(c, c), torch.mv(a, b[:, 0]),
                                  torch.einsum("ij,jk->ik", a, b),
                                  torch.addmm(a @ b, a, b, beta=0.5)),
     (r(3, 4), r(4, 3), r(2, 3, 3))),
    ("ranges", lambda x: x * torch.arange(4) + torch.eye(4) + torch.linspace(0, 1, 4), (r(4, 4),)),
    ("masked fill", lambda x, m: x.masked_fill(m, -1e9).softmax(-1), (r(3, 4), MASK)),
    ("one hot", lambda i: F.one_hot(i, 4).float(), (indices(1, 2),)),
    ("half precision", lambda x, w: (x @ w).relu().float().sum(),
     (r(3, 4).bfloat16(), r(4, 2).bfloat16())),
    ("double precision", lambda x, w: torch.tanh(x @ w), (r(3, 4).double(), r(4, 2).double())),
]  # fmt: skip

LAYERS = [
    ("linear", F.linear, (r(3, 4), r(2, 4), r(2))),
    ("layer norm", lambda x, w, b: F.layer_norm(x, (4,), w, b), (r(3, 4), r(4), r(4))),
    ("group norm", lambda x, w, b: F.group_norm(x, 2, w, b), (r(2, 4, 3), r(4), r(4))),
    ("instance and rms norm", lambda x: (F.instance_norm(x), F.rms_norm(x, (4,))), (r(2, 3, 4),)),
    ("batch norm in training", lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True),
     (r(4, 3, 2, 2), r(3), r(3))),
    ("conv", lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1),
     (r(2, 3, 8, 8), r(4, 3, 3, 3), r(4))),
    ("conv in groups, dilated", lambda x, w: F.conv2d(x, w, groups=2, dilation=2),
     (r(1, 4, 8, 8), r(4, 2, 3, 3))),
    ("conv of one axis", F.conv1d, (r(1, 4, 8), r(4, 4, 3))),
    ("conv of three axes", F.conv3d, (r(1, 2, 4, 4, 4), r(3, 2, 2, 2, 2))),
    ("conv transposed", lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1,
                                                        output_padding=1),
     (r(1, 3, 4, 4), r(3, 2, 3, 3))),
    ("max pooling", lambda x: (F.max_pool2d(x, 2), F.max_pool2d(x, 3, 2, 1)), (r(1, 2, 6, 6),)),
    ("mean pooling", lambda x: (F.avg_pool2d(x, 2), F.avg_pool2d(x, 3, 2, 1),
                                F.adaptive_avg_pool2d(x, 1)), (r(1, 2, 6, 6),)),
    ("bilinear", lambda x: F.interpolate(x, size=(6, 6), mode="bilinear"), (r(1, 1, 4, 4),)),
    ("unfold and shuffle", lambda x: (F.unfold(x, 2), F.pixel_shuffle(x, 2)), (r(1, 4, 4, 4),)),
    ("embedding", F.embedding, (indices([1, 2], [0, 3]), r(5, 3))),
    ("attention", F.scaled_dot_product_attention, QKV),
    ("causal attention",
     lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), QKV),
    ("cross entropy", F.cross_entropy, (r(4, 3), indices(0, 2, 1, 1))),
    ("losses", lambda x, y: (F.mse_loss(x, y), F.smooth_l1_loss(x, y), F.l1_loss(x, y),
                             F.binary_cross_entropy_with_logits(x, torch.sigmoid(y))),
     (r(4, 3), r(4, 3))),
]  # fmt: skip

NETWORKS = [
    ("perceptron", nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), (r(3, 4),)),
    ("convolutional network", nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(64, 5), nn.LogSoftmax(-1)).eval(), (r(2, 1, 8, 8),)),
    ("transformer", nn.TransformerEncoderLayer(**ENCODER).eval(), (r(2, 4, 8),)),
    ("transformer in training", nn.TransformerEncoderLayer(**ENCODER, dropout=0.0), (r(2, 4, 8),)),
    ("many-headed attention", nn.MultiheadAttention(8, 2, batch_first=True).eval(),
     (r(1, 4, 8), r(1, 4, 8), r(1, 4, 8))),
    ("lstm", nn.LSTM(4, 3), (r(3, 2, 4),)),
    ("gru", nn.GRU(4, 3), (r(3, 2, 4),)),
    ("lstm of given weights", lstm, (r(3, 2, 4), r(12, 4), r(12, 3), r(12))),
    ("autoencoder of given noise", vae, (r(3, 4), r(4, 4), r(2, 4), r(3, 2))),
    ("variational autoencoder", lambda x, encoder, decoder: vae(x, encoder, decoder, r(3, 2)),
     (r(3, 4), r(4, 4), r(2, 4)), True),
    ("dropout", lambda x: F.dropout(x, 0.5, True), (r(3, 4),), True),
]  # fmt: skip

CASES = [Case(*row) for row in (*ARRAYS, *LAYERS, *NETWORKS)]
