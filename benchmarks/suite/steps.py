"""12 training steps as people write them: the gradient of a loss, and what is done with it."""

from typing import Any

from suite.case import Case, Draw, Lib

__all__ = ["STEPS"]

RATE = 0.01


def descend(params: Any, gradient: Any) -> Any:
    """One step of gradient descent, for a list of arrays."""
    return [p - RATE * g for p, g in zip(params, gradient, strict=True)]


def convolution_net(lib: Lib, k1: Any, k2: Any, w: Any, x: Any, labels: Any) -> Any:
    """Two convolutions with pools, a dense layer, cross entropy."""
    np = lib.numpy

    def layer(x: Any, kernel: Any) -> Any:
        dims = ("NHWC", "HWIO", "NHWC")
        y = lib.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=dims)
        n, h, w, c = y.shape
        return np.max(lib.nn.relu(y).reshape(n, h // 2, 2, w // 2, 2, c), axis=(2, 4))

    def loss(params: Any) -> Any:
        k1, k2, w = params
        y = layer(layer(x, k1), k2)
        logs = lib.nn.log_softmax(y.reshape(y.shape[0], -1) @ w)
        return -np.mean(np.take_along_axis(logs, labels[:, None], axis=1))

    value, gradient = lib.value_and_grad(loss)([k1, k2, w])
    return value, descend([k1, k2, w], gradient)


def transformer(lib: Lib, table: Any, qkv: Any, out: Any, up: Any, down: Any, ids: Any) -> Any:
    """One block with causal attention, predicting the next token, by Adam."""
    np = lib.numpy

    def norm(x: Any) -> Any:
        x = x - np.mean(x, axis=-1, keepdims=True)
        return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + 1e-5)

    def loss(params: Any) -> Any:
        table, qkv, out, up, down = params
        x = table[ids]
        batch, length, width = x.shape
        heads = (norm(x) @ qkv).reshape(batch, length, 3, 4, width // 4)
        q, k, v = (np.swapaxes(heads[:, :, i], 1, 2) for i in range(3))
        scores = q @ np.swapaxes(k, 2, 3) / (width // 4) ** 0.5
        causal = np.tril(np.ones((length, length), dtype=bool))
        weights = lib.nn.softmax(np.where(causal, scores, -1e9), axis=-1)
        x = x + np.swapaxes(weights @ v, 1, 2).reshape(x.shape) @ out
        x = x + lib.nn.gelu(norm(x) @ up) @ down
        logs = lib.nn.log_softmax(norm(x[:, :-1]) @ table.T)
        return -np.mean(np.take_along_axis(logs, ids[:, 1:, None], axis=2))

    params = [table, qkv, out, up, down]
    value, gradient = lib.value_and_grad(loss)(params)
    # From moments that are zero.
    m, v = [0.1 * g for g in gradient], [0.001 * g * g for g in gradient]
    moved = [
        p - RATE * (a / 0.1) / (np.sqrt(b / 0.001) + 1e-3)
        for p, a, b in zip(params, m, v, strict=True)
    ]
    return value, moved, m, v


def lstm(lib: Lib, w: Any, u: Any, b: Any, out: Any, xs: Any, y: Any) -> Any:
    """A scan over time, and the error at its end."""
    np = lib.numpy

    def loss(params: Any) -> Any:
        w, u, b, out = params
        zero = np.zeros((xs.shape[1], u.shape[0]), dtype=xs.dtype)

        def step(carry: Any, x: Any) -> Any:
            h, c = carry
            i, f, g, o = np.split(x @ w + h @ u + b, 4, axis=-1)
            c = lib.nn.sigmoid(f) * c + lib.nn.sigmoid(i) * np.tanh(g)
            return (lib.nn.sigmoid(o) * np.tanh(c), c), None

        (h, _), _ = lib.lax.scan(step, (zero, zero), xs)
        return np.mean((h @ out - y) ** 2)

    value, gradient = lib.value_and_grad(loss)([w, u, b, out])
    return value, descend([w, u, b, out], gradient)


def vae(lib: Lib, e1: Any, e2: Any, d1: Any, d2: Any, x: Any, noise: Any) -> Any:
    """A variational autoencoder with Gaussian codes."""
    np = lib.numpy

    def loss(params: Any) -> Any:
        e1, e2, d1, d2 = params
        mean, log_sd = np.split(lib.nn.relu(x @ e1) @ e2, 2, axis=-1)
        z = mean + np.exp(log_sd) * noise
        y = lib.nn.relu(z @ d1) @ d2
        fit = np.sum(lib.nn.softplus(y) - x * y, axis=-1)
        kl = 0.5 * np.sum(mean**2 + np.exp(2 * log_sd) - 1 - 2 * log_sd, axis=-1)
        return np.mean(fit + kl)

    value, gradient = lib.value_and_grad(loss)([e1, e2, d1, d2])
    return value, descend([e1, e2, d1, d2], gradient)


def gaussian_process(lib: Lib, theta: Any, x: Any, y: Any) -> Any:
    """The marginal likelihood's gradient by three hyperparameters."""
    np = lib.numpy

    def loss(theta: Any) -> Any:
        scale, length, noise = np.exp(theta[0]), np.exp(theta[1]), np.exp(theta[2])
        squares = np.sum((x[:, None] - x[None, :]) ** 2, axis=-1)
        k = scale * np.exp(-0.5 * squares / length**2)
        factor = np.linalg.cholesky(k + (noise + 0.1) * np.eye(x.shape[0], dtype=x.dtype))
        solved = lib.scipy.linalg.cho_solve((factor, True), y)
        return 0.5 * y @ solved + np.sum(np.log(np.diagonal(factor)))

    value, gradient = lib.value_and_grad(loss)(theta)
    return value, theta - RATE * gradient


def kalman_filter(lib: Lib, a: Any, c: Any, ys: Any) -> Any:
    """The likelihood of 100 observations of a linear system, and its gradient by the dynamics."""
    np = lib.numpy

    def loss(a: Any) -> Any:
        n, m = a.shape[0], c.shape[0]
        eye = np.eye(n, dtype=a.dtype)

        def step(carry: Any, y: Any) -> Any:
            x, p = carry
            x, p = a @ x, a @ p @ a.T + 0.1 * eye
            s = c @ p @ c.T + 0.5 * np.eye(m, dtype=a.dtype)
            gain = np.linalg.solve(s, c @ p).T
            r = y - c @ x
            nll = 0.5 * (r @ np.linalg.solve(s, r) + np.linalg.slogdet(s)[1])
            return (x + gain @ r, p - gain @ c @ p), nll

        start = (np.zeros(n, dtype=a.dtype), eye)
        return np.mean(lib.lax.scan(step, start, ys)[1])

    value, gradient = lib.value_and_grad(loss)(a)
    return value, a - RATE * gradient


def n_body(lib: Lib, x: Any, v: Any, mass: Any) -> Any:
    """20 steps of leapfrog in a scan, and the gradient by the first positions."""
    np = lib.numpy

    def force(x: Any) -> Any:
        d = x[None, :, :] - x[:, None, :]
        r2 = np.sum(d * d, axis=-1) + 0.1
        return np.sum(d * (mass[None, :] ** 2 * r2**-1.5)[:, :, None], axis=1)

    def loss(x: Any) -> Any:
        def step(carry: Any, _: Any) -> Any:
            x, v = carry
            v = v + 0.005 * force(x)
            x = x + 0.01 * v
            return (x, v + 0.005 * force(x)), None

        (x, _), _ = lib.lax.scan(step, (x, v), None, length=20)
        return np.mean(x * x)

    value, gradient = lib.value_and_grad(loss)(x)
    return value, x - RATE * gradient


def sinkhorn(lib: Lib, x: Any, y: Any) -> Any:
    """20 rounds of optimal transport between points, and the gradient by these."""
    np = lib.numpy

    def loss(x: Any) -> Any:
        cost = np.sum((x[:, None] - y[None, :]) ** 2, axis=-1)
        f, g = np.zeros_like(cost[:, 0]), np.zeros_like(cost[0])

        def step(carry: Any, _: Any) -> Any:
            f, g = carry
            f = -lib.nn.logsumexp(g[None, :] - cost, axis=1)
            g = -lib.nn.logsumexp(f[:, None] - cost, axis=0)
            return (f, g), None

        (f, g), _ = lib.lax.scan(step, (f, g), None, length=20)
        return np.sum(np.exp(f[:, None] + g[None, :] - cost) * cost)

    value, gradient = lib.value_and_grad(loss)(x)
    return value, x - RATE * gradient


def graph_net(lib: Lib, w1: Any, w2: Any, x: Any, ends: Any, y: Any) -> Any:
    """Two rounds of messages along edges."""
    np = lib.numpy
    senders, receivers = ends[0], ends[1]

    def loss(params: Any) -> Any:
        h = x
        for w in params:
            sums = lib.ops.segment_sum((h @ w)[senders], receivers, num_segments=x.shape[0])
            h = np.tanh(h + sums)
        return np.mean((h - y) ** 2)

    value, gradient = lib.value_and_grad(loss)([w1, w2])
    return value, descend([w1, w2], gradient)


def diffusion(lib: Lib, w1: Any, w2: Any, w3: Any, x: Any, t: Any, noise: Any) -> Any:
    """A network predicts the noise that was added at random times."""
    np = lib.numpy

    def loss(params: Any) -> Any:
        w1, w2, w3 = params
        level = lib.nn.sigmoid(t)[:, None]
        noisy = np.sqrt(level) * x + np.sqrt(1 - level) * noise
        waves = t[:, None] * np.arange(1, 17, dtype=x.dtype)
        h = np.concatenate([noisy, np.sin(waves), np.cos(waves)], axis=-1)
        h = lib.nn.silu(lib.nn.silu(h @ w1) @ w2) @ w3
        return np.mean((h - noise) ** 2)

    value, gradient = lib.value_and_grad(loss)([w1, w2, w3])
    return value, descend([w1, w2, w3], gradient)


def newton(lib: Lib, w: Any, x: Any, y: Any) -> Any:
    """A step of logistic regression by the whole Hessian."""
    np = lib.numpy

    def loss(w: Any) -> Any:
        z = x @ w
        return np.mean(np.logaddexp(0.0, z) - (y > 0) * z) + 0.01 * np.sum(w * w)

    return loss(w), w - np.linalg.solve(lib.hessian(loss)(w), lib.grad(loss)(w))


def hmc(lib: Lib, q: Any, p: Any, x: Any, y: Any) -> Any:
    """A trajectory of ten leapfrog steps in a logistic posterior, and its acceptance."""
    np = lib.numpy

    def energy(q: Any) -> Any:
        z = x @ q
        return np.sum(np.logaddexp(0.0, z) - (y > 0) * z) + 0.5 * np.sum(q * q)

    def step(carry: Any, _: Any) -> Any:
        q, p = carry
        p = p - 0.005 * lib.grad(energy)(q)
        q = q + 0.01 * p
        return (q, p - 0.005 * lib.grad(energy)(q)), None

    (q1, p1), _ = lib.lax.scan(step, (q, p), None, length=10)
    change = energy(q1) - energy(q) + 0.5 * (np.sum(p1 * p1) - np.sum(p * p))
    return np.minimum(1.0, np.exp(-change)), q1


def _net(d: Draw) -> list[Any]:
    side, channels = d.size(28), d.size(16)
    kernels = [d.exact(3, 3, 1, 4, scale=0.3), d.exact(3, 3, 4, channels, scale=0.1)]
    dense = d.exact((side // 4) ** 2 * channels, 10, scale=0.05)
    return [*kernels, dense, d.exact(d.size(32), side, side, 1), d.ints(4, 32)]


def _transformer(d: Draw) -> list[Any]:
    w, words = d.size(64), d.size(256)
    shapes = [(words, w), (w, 3 * w), (w, w), (w, 4 * w), (4 * w, w)]
    return [*(d.exact(*shape, scale=0.1) for shape in shapes), d.ints(256, 8, 64)]


def _lstm(d: Draw) -> list[Any]:
    n, w = d.size(32), d.size(64)
    weights = [d.exact(n, 4 * w, scale=0.1), d.exact(w, 4 * w, scale=0.1), d.exact(4 * w)]
    return [*weights, d.normal(64, 8), d.normal(50, 16, 32), d.normal(16, 8)]


def _vae(d: Draw) -> list[Any]:
    code = d.size(16)
    encoder = [d.normal(784, 256, scale=0.05), d.exact(d.size(256), 2 * code, scale=0.05)]
    decoder = [d.normal(16, 256), d.normal(256, 784, scale=0.05)]
    return [*encoder, *decoder, d.normal(64, 784), d.normal(64, 16)]


def _diffusion(d: Draw) -> list[Any]:
    n, w = d.size(64), d.size(128)
    weights = [d.exact(n + 32, w, scale=0.1), d.exact(w, w, scale=0.1), d.exact(w, n, scale=0.1)]
    return [*weights, d.normal(128, 64), d.normal(128), d.normal(128, 64)]


#: By name: the steps, with the arrays that they take.
STEPS = [
    Case("convolution net", convolution_net, _net),
    Case("transformer", transformer, _transformer),
    Case("LSTM by scan", lstm, _lstm),
    Case("VAE", vae, _vae),
    Case("Gaussian process", gaussian_process, lambda d: [d.normal(3, scale=0.1), d.normal(100, 3),
                                                          d.normal(100)]),
    Case("Kalman filter", kalman_filter, lambda d: [d.normal(4, 4, scale=0.3), d.normal(2, 4),
                                                    d.normal(100, 2)]),
    Case("N-body", n_body, lambda d: [d.normal(20, 3), d.normal(20, 3), d.normal(20)]),
    Case("sinkhorn", sinkhorn, lambda d: [d.normal(100, 2), d.normal(100, 2)]),
    Case("GNN", graph_net, lambda d: [d.normal(32, 32, scale=0.1), d.normal(32, 32, scale=0.1),
                                      d.normal(500, 32), d.ints(500, 2, 2000), d.normal(500, 32)]),
    Case("diffusion step", diffusion, _diffusion),
    Case("Newton", newton, lambda d: [d.normal(20, scale=0.1), d.normal(500, 20), d.normal(500)]),
    Case("HMC", hmc, lambda d: [d.normal(20, scale=0.1), d.normal(20), d.normal(500, 20),
                                d.normal(500)]),
]  # fmt: skip
