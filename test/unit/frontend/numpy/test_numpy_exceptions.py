"""What NumPy refuses is refused here too, with an exception that NumPy's handlers catch."""

import numpy as np
import pytest

import anvl.numpy as anp

#: Calls that NumPy refuses; each is made with `np` as NumPy and as `anvl.numpy`.
CALLS = [
    'np.ones((2,3)) + np.ones((4,))',
    'np.ones((2,3)) @ np.ones((2,3))',
    'np.matmul(np.ones(()), np.ones(3))',
    'np.dot(np.ones((2,3)), np.ones((2,3)))',
    'np.reshape(np.ones(6), (4, 2))',
    'np.reshape(np.ones(6), (-1, -1))',
    'np.ones(6).reshape(4, -1)',
    'np.sum(np.ones((2,3)), axis=2)',
    'np.ones((2,3)).sum(axis=-3)',
    'np.sum(np.ones((2,3)), axis=(0,0))',
    'np.max(np.ones((0,3)), axis=0)',
    'np.argmax(np.ones(0))',
    'np.ones((2,3))[2]',
    'np.ones((2,3))[0, 3]',
    'np.ones((2,3))[0, 0, 0]',
    'np.ones(3)["a"]',
    'np.ones(3)[1.5]',
    'np.ones(3)[np.asarray([True, False])]',
    'np.concatenate([np.ones((2,3)), np.ones((2,4))], axis=0)',
    'np.concatenate([])',
    'np.concatenate([np.ones(2), np.ones((2,2))])',
    'np.stack([np.ones(2), np.ones(3)])',
    'np.stack([])',
    'np.transpose(np.ones((2,3)), (0, 0))',
    'np.transpose(np.ones((2,3)), (0,))',
    'np.swapaxes(np.ones((2,3)), 0, 2)',
    'np.moveaxis(np.ones((2,3)), 0, 2)',
    'np.expand_dims(np.ones((2,3)), 4)',
    'np.squeeze(np.ones((2,3)), 0)',
    'np.squeeze(np.ones((2,3)), 2)',
    'np.broadcast_to(np.ones((2,3)), (3, 2))',
    'np.split(np.ones(5), 2)',
    'np.take(np.ones(3), np.asarray([0]), axis=1)',
    'np.bitwise_and(np.ones(2), np.ones(2))',
    '~np.ones(2)',
    'np.ones(2) << 1',
    'np.logical_not("a")',
    'np.sin("a")',
    'np.sin(None)',
    'np.ones((2, -1))',
    'np.zeros(1.5)',
    'np.linspace(0, 1, -1)',
    'np.eye(-1)',
    'np.asarray([[1, 2], [3]])',
    'np.ones(2, dtype="float33")',
    'np.linalg.inv(np.ones((2,3)))',
    'np.linalg.inv(np.ones(3))',
    'np.linalg.solve(np.ones((2,2)), np.ones((3,)))',
    'np.linalg.cholesky(np.ones((2,3)))',
    'np.linalg.det(np.ones(2))',
    'np.linalg.norm(np.ones((2,2)), ord="abc")',
    'np.trace(np.ones(3))',
    'np.diagonal(np.ones(3))',
    'np.cross(np.ones(4), np.ones(4))',
    'np.einsum("ij,jk->ik", np.ones((2,3)), np.ones((2,3)))',
    'np.einsum("ij->k", np.ones((2,3)))',
    'np.clip(np.ones(3), np.ones(2), np.ones(2))',
    'np.where(np.ones(3) > 0, np.ones(2), 0.0)',
    'np.cumsum(np.ones(3), axis=1)',
    'np.sort(np.ones(3), axis=1)',
    'np.argsort(np.ones(3), axis=1)',
    'np.flip(np.ones(3), axis=1)',
    'np.roll(np.ones(3), 1, axis=1)',
    'np.tile(np.ones(3), -1)',
    'np.repeat(np.ones(3), -1)',
    'np.repeat(np.ones(3), np.asarray([1, 2]))',
    'np.pad(np.ones(3), -1)',
    'np.pad(np.ones(3), 1, mode="abc")',
    'np.tensordot(np.ones((2,3)), np.ones((2,3)), axes=1)',
    'np.quantile(np.ones(3), 0.5, axis=2)',
    'np.mean(np.ones(3), axis=1)',
    'np.mean(np.ones(3), axis="a")',
    'np.mean(np.ones(3), axis=0.5)',
    'np.sum(np.ones(3), dtype="abc")',
    'np.vdot(np.ones(3), np.ones(2))',
    'np.outer(np.ones(3))',
    'np.sum(np.ones(3), keepdim=True)',
    'np.polyfit(np.ones(3), np.ones(2), 1)',
    'np.interp(np.ones(2), np.ones(3), np.ones(2))',
    'np.histogram(np.ones(3), bins=-1)',
    'np.searchsorted(np.ones((2,2)), 1.0)',
    'np.fft.fft(np.ones(3), axis=1)',
    'np.fft.fft(np.ones(3), n=0)',
    'np.meshgrid(np.ones(3), indexing="ab")',
    'np.vstack([np.ones(2), np.ones(3)])',
    'np.unravel_index(10, (2, 3))',
    'np.delete(np.ones(3), 7)',
    'np.insert(np.ones(3), 7, 1.0)',
    'np.average(np.ones(3), weights=np.ones(2))',
    'np.cov(np.ones((2,2,2)))',
    'np.bincount(np.asarray([-1, 2]))',
    'np.choose(np.asarray([3]), [np.ones(1), np.ones(1)])',
    'np.float32("a")',
    'int(np.ones(2))',
    'float(np.ones((1, 2)))',
    'bool(np.ones(2))',
    'complex(np.ones(3))',
    'range(3)[np.asarray(1.0)]',
    'len(np.asarray(1.0))',
    'iter(np.asarray(1.0))',
    'hash(np.ones(2))',
    'np.ones(3).astype("abc")',
    'int(np.asarray(1j))',
    'float(np.asarray(1j))',
    'int(np.asarray(float("nan")))',
    'int(np.asarray(float("inf")))',
    'np.asarray([1.0, 2.0]).__index__()',
    'np.left_shift(1.0, 2)',
    'np.linalg.matrix_power(np.ones((2, 3)), 2)',
    'np.linalg.eigh(np.ones((2, 3)))',
    'np.linalg.svd(np.ones(3))',
    'np.linalg.qr(np.ones(3))',
    'np.linalg.lstsq(np.ones((2,2)), np.ones(3))',
    'np.apply_along_axis(np.sum, 2, np.ones((2, 3)))',
    'np.rot90(np.ones(3))',
    'np.unwrap(np.ones(3), axis=1)',
    'np.diff(np.ones(3), axis=1)',
    'np.diff(np.ones(3), n=-1)',
    'np.gradient(np.ones(3), axis=1)',
    'np.ones(3) + None',
    'np.ix_(np.ones((2,2)))',
    'np.hstack([np.ones(2), np.ones((2,2))])',
    'np.nanmax(np.ones(0))',
    'np.ones(2).T.foo',
]  # fmt: skip


def refusal(call, namespace):
    with pytest.raises(Exception) as error:
        eval(call, {"np": namespace})
    return error.value


@pytest.mark.filterwarnings("ignore")  # NumPy warns before it refuses
@pytest.mark.parametrize("call", CALLS)
def test_the_exception_is_one_of_numpys_class(call):
    ours, theirs = refusal(call, anp), refusal(call, np)
    assert isinstance(ours, type(theirs)), f"{ours!r} where NumPy has {theirs!r}"
    assert len(str(ours)) > 15


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            "np.ones((2, 3)) + np.ones(4, int)",
            r"add: f32\[2,3\], i32\[4\] do not broadcast: sizes 3",
        ),
        ("np.sum(np.ones((2, 3)), axis=2)", "sum: axis 2 is out of range of 2 axes"),
        ("np.ones((2, 3))[2]", r"index 2 is out of range of axis 0 of f32\[2,3\]"),
        ("np.ones(2, dtype='float33')", "float33"),
        ("np.linalg.inv(np.ones((2, 3)))", r"inv: takes square matrices, got f32\[2,3\]"),
        ("np.sum(np.ones(3), keepdim=True)", "keepdim"),
    ],
)
def test_the_text_has_the_values(call, says):
    with pytest.raises(Exception, match=says):
        eval(call, {"np": anp})
