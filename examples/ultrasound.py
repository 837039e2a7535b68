"""An inverse problem of physics: find what is hidden in water, by ultrasound.

    python examples/ultrasound.py --out out/ultrasound

Sound is slower in water than in the object that is hidden in it, which has the form of one of
scikit-learn's handwritten digits.  From a ring of 12 transducers one after the other sends a
pulse, and all record for 40 microseconds; the records are simulated, with 2 % noise.  The
simulation is the wave equation by finite differences, a `scan` over time and a `vmap` over
senders.  L-BFGS fits 256 unknown speeds of sound, with the gradient through the whole simulation
(full-waveform inversion).  Printed are the misfit and the correlation of the found image with the
hidden one, at least 0.97 (`--quick`, with 10 steps: 0.9); and what the found digit is read as, by
the nearest of the other 1,796, which is to be right.  The folder gets `ultrasound.png`.
"""

import argparse
from pathlib import Path

import numpy
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

import anvl
import anvl.numpy as np
from anvl import image
from anvl.scipy import optimize

N, STEPS, DT = 56, 160, 0.25  # cells of 1 mm, steps of 0.25 us
WATER, CONTRAST = 1.48, 0.08  # mm / us, and how much faster the object is
FREQUENCY, NOISE = 0.2, 0.02  # MHz; part of the recorded amplitude
HIDDEN = 13  # which digit
UNKNOWN, PATCH = 16, 24  # unknowns along an axis, and the millimetres that they cover
RING = [
    (round(N / 2 + 21 * numpy.cos(a)), round(N / 2 + 21 * numpy.sin(a)))
    for a in numpy.arange(12) * numpy.pi / 6
]
ROWS, COLUMNS = numpy.array(RING).T


def pulse():
    """A Ricker wavelet at each step."""
    x = (numpy.pi * FREQUENCY * (numpy.arange(STEPS) * DT - 1.2 / FREQUENCY)) ** 2
    return ((1 - 2 * x) * numpy.exp(-x)).astype("float32")


def damping():
    """A layer at the edge that absorbs waves."""
    depth = numpy.minimum(numpy.arange(N), numpy.arange(N)[::-1])
    edge = numpy.maximum(0, 6 - numpy.minimum(depth[:, None], depth[None, :])) / 6
    return (1 - 0.25 * edge**2).astype("float32")


def speed(unknown):
    """The speed of sound in each cell; the unknowns are in the middle."""
    patch = image.resize(unknown, (PATCH, PATCH), "linear")
    return WATER * (1 + CONTRAST * np.pad(patch, (N - PATCH) // 2))


def laplacian(u):
    neighbours = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
    return neighbours - 4 * u


def recorded(unknown):
    """The pressure at each transducer, for each sender and step."""
    factor, absorb = (speed(unknown) * DT) ** 2, damping()

    def of_sender(row, column):
        def step(carry, amplitude):
            before, now = carry
            after = absorb * (2 * now - absorb * before + factor * laplacian(now))
            after = after.at[row, column].add(amplitude)
            return (now, after), after[ROWS, COLUMNS]

        rest = np.zeros((N, N), "f32")
        return anvl.scan(step, (rest, rest), pulse())[1]

    return anvl.vmap(of_sender)(ROWS, COLUMNS)


def reconstructed(data, steps):
    """The unknowns whose waves are the most like the data, with a weak penalty on roughness."""
    scale = numpy.mean((data - recorded_in_water()) ** 2)

    def objective(flat):
        unknown = flat.reshape(UNKNOWN, UNKNOWN)
        rough = sum(np.mean(np.diff(unknown, axis=axis) ** 2) for axis in (0, 1))
        return np.mean((recorded(unknown) - data) ** 2) / scale + 0.01 * rough

    @anvl.jit
    def search(start):
        options = {"maxiter": steps, "gtol": 1e-6}
        return optimize.minimize(objective, start, method="L-BFGS", options=options)

    found = search(numpy.zeros(UNKNOWN**2, "float32"))
    print(f"{int(found.nit)} steps, misfit {float(found.fun):.4f} of what water alone has")
    return numpy.asarray(found.x).reshape(UNKNOWN, UNKNOWN)


def recorded_in_water():
    return numpy.asarray(anvl.jit(recorded)(numpy.zeros((UNKNOWN, UNKNOWN), "float32")))


def draw(path, truth, data, found):
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    extent = (-PATCH / 2, PATCH / 2, PATCH / 2, -PATCH / 2)
    for axes, picture, title in ((left, truth, "hidden"), (right, found, "found")):
        axes.imshow(WATER * (1 + CONTRAST * picture), extent=extent, vmin=WATER * 0.98)
        axes.plot(COLUMNS - N / 2, ROWS - N / 2, "k.", ms=4)
        axes.set(title=f"{title}: speed of sound", xlabel="mm")
    size = abs(data[0]).max() / 5
    middle.imshow(data[0], aspect="auto", cmap="RdBu", vmin=-size, vmax=size)
    middle.set(title="recorded, first sender", xlabel="transducer", ylabel="step of 0.25 us")
    figure.savefig(path, dpi=80)
    print(f"wrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/ultrasound"), help="folder")
    parser.add_argument("--quick", action="store_true", help="10 steps")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)

    digits, labels = load_digits(return_X_y=True)
    digits = (digits / 16).reshape(-1, 8, 8).astype("float32")
    truth = numpy.asarray(image.resize(digits[HIDDEN], (UNKNOWN, UNKNOWN), "linear"))
    data = numpy.asarray(anvl.jit(recorded)(truth))
    noise = NOISE * data.std() * numpy.random.default_rng(0).standard_normal(data.shape)
    data = (data + noise).astype("float32")

    found = reconstructed(data, 10 if given.quick else 60)
    correlation = numpy.corrcoef(truth.ravel(), found.ravel())[0, 1]
    small = found.reshape(8, 2, 8, 2).mean(axis=(1, 3))
    distances = ((digits - small) ** 2).sum(axis=(1, 2))
    distances[HIDDEN] = numpy.inf  # the digit itself does not count
    read = labels[distances.argmin()]
    print(f"correlation with the hidden digit {correlation:.3f}; it is read as a {read}")
    draw(given.out / "ultrasound.png", truth, data, found)
    assert correlation > (0.9 if given.quick else 0.97), f"correlation {correlation:.3f}"
    assert read == labels[HIDDEN], f"a {labels[HIDDEN]} is read as a {read}"


if __name__ == "__main__":
    main()
