"""`anvl.nn`: functions of neural networks, named as in `jax.nn`.

    >>> import anvl, anvl.numpy as np
    >>> from anvl import nn
    >>> x = nn.relu(nn.layer_norm(np.asarray([[1.0, 2.0, 6.0]])))
    >>> print(nn.softmax(x, axis=-1).shape)
    (1, 3)

Layers are functions of arrays and parameters; `anvl.nn.initializers` make first values of
these.
"""

from anvl.core.importing import suggest_names as _suggest_names
from anvl.docstrings.complete import complete as _complete
from anvl.docstrings.of_nn import NN as _ENTRIES
from anvl.nn import initializers as initializers
from anvl.nn.activations import celu as celu
from anvl.nn.activations import elu as elu
from anvl.nn.activations import gelu as gelu
from anvl.nn.activations import glu as glu
from anvl.nn.activations import hard_sigmoid as hard_sigmoid
from anvl.nn.activations import hard_silu as hard_silu
from anvl.nn.activations import hard_swish as hard_swish
from anvl.nn.activations import hard_tanh as hard_tanh
from anvl.nn.activations import identity as identity
from anvl.nn.activations import leaky_relu as leaky_relu
from anvl.nn.activations import log1mexp as log1mexp
from anvl.nn.activations import log_sigmoid as log_sigmoid
from anvl.nn.activations import mish as mish
from anvl.nn.activations import relu as relu
from anvl.nn.activations import relu6 as relu6
from anvl.nn.activations import selu as selu
from anvl.nn.activations import sigmoid as sigmoid
from anvl.nn.activations import silu as silu
from anvl.nn.activations import soft_sign as soft_sign
from anvl.nn.activations import softplus as softplus
from anvl.nn.activations import sparse_plus as sparse_plus
from anvl.nn.activations import sparse_sigmoid as sparse_sigmoid
from anvl.nn.activations import squareplus as squareplus
from anvl.nn.activations import swish as swish
from anvl.nn.activations import tanh as tanh
from anvl.nn.attention import dot_product_attention as dot_product_attention
from anvl.nn.convolutions import conv as conv
from anvl.nn.convolutions import conv_transpose as conv_transpose
from anvl.nn.dropout import dropout as dropout
from anvl.nn.normalization import BatchNorm as BatchNorm
from anvl.nn.normalization import batch_norm as batch_norm
from anvl.nn.normalization import group_norm as group_norm
from anvl.nn.normalization import instance_norm as instance_norm
from anvl.nn.normalization import layer_norm as layer_norm
from anvl.nn.normalization import rms_norm as rms_norm
from anvl.nn.one_hot import one_hot as one_hot
from anvl.nn.softmax_family import log_softmax as log_softmax
from anvl.nn.softmax_family import logmeanexp as logmeanexp
from anvl.nn.softmax_family import logsumexp as logsumexp
from anvl.nn.softmax_family import softmax as softmax
from anvl.nn.softmax_family import standardize as standardize
from anvl.runtime import hide_frames_of as _hide_frames_of
from anvl.windows import max_pool as max_pool
from anvl.windows import mean_pool as avg_pool

__all__ = [
    "BatchNorm", "avg_pool", "batch_norm", "celu", "conv", "conv_transpose",
    "dot_product_attention", "dropout", "elu", "gelu", "glu", "group_norm", "hard_sigmoid",
    "hard_silu", "hard_swish", "hard_tanh", "identity", "initializers", "instance_norm",
    "layer_norm", "leaky_relu", "log1mexp", "log_sigmoid", "log_softmax", "logmeanexp",
    "logsumexp", "max_pool", "mish", "one_hot", "relu", "relu6", "rms_norm", "selu", "sigmoid",
    "silu", "soft_sign", "softmax", "softplus", "sparse_plus", "sparse_sigmoid", "squareplus",
    "standardize", "swish", "tanh",
]  # fmt: skip

_hide_frames_of(__all__, globals())
_complete(__all__, globals(), _ENTRIES)

_suggest_names(globals())


def __dir__() -> list[str]:
    return sorted(__all__)
