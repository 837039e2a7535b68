"""Calls of `anvl.scipy.ndimage`, for `test_scipy_calls.py`."""

__all__ = ["CALLS", "OTHERWISE"]

CALLS = {
    "ndimage": """
convolve1d: x, w | m, w2 | m, w, 0 | t, w, axis=1 | x, w, mode='reflect' | x, w, mode='constant' |
  x, w, mode='nearest' | x, w, mode='mirror' | x, w, mode='wrap' | x, w4, mode='reflect' |
  x, w4, mode='constant' | x, w4, mode='nearest' | x, w4, mode='mirror' | x, w4, mode='wrap' |
  w2, x, mode='reflect' | w2, x, mode='constant' | w2, x, mode='nearest' | w2, x, mode='mirror' |
  w2, x, mode='wrap' | x, w, origin=1 | x, w, origin=-1 | x, w4, origin=1 | x, w4, origin=-2 |
  x, w, origin=2 | x, w4, origin=2 | x, w, mode='constant', cval=2.5 | f, w | xi, w | c, w |
  x, c[:3] | b, w | u, w | e, w | x, e | nan1, w | x, w, 1 | o, l | x, w, mode='no' | neg, st[:3] |
  r4, w, 2 | i1, w | xi, w, mode='constant', cval=1.7 | s, w | x, xi[:3]
correlate1d: x, w | m, w2 | m, w, 0 | t, w, axis=1 | x, w, mode='reflect' | x, w, mode='constant' |
  x, w, mode='nearest' | x, w, mode='mirror' | x, w, mode='wrap' | x, w4, mode='reflect' |
  x, w4, mode='constant' | x, w4, mode='nearest' | x, w4, mode='mirror' | x, w4, mode='wrap' |
  w2, x, mode='reflect' | w2, x, mode='constant' | w2, x, mode='nearest' | w2, x, mode='mirror' |
  w2, x, mode='wrap' | x, w, origin=1 | x, w, origin=-1 | x, w4, origin=1 | x, w4, origin=-2 |
  x, w, mode='constant', cval=2.5 | f, w | xi, w | c, w | x, c[:3] | b, w | u, w | e, w | nan1, w |
  o, l | r4, w, 2
convolve: m, k23 | x, w | m, k23, mode='reflect' | m, k23, mode='constant' |
  m, k23, mode='nearest' | m, k23, mode='mirror' | m, k23, mode='wrap' | k23, m, mode='reflect' |
  k23, m, mode='constant' | k23, m, mode='nearest' | k23, m, mode='mirror' | k23, m, mode='wrap' |
  m, k23, origin=(0, 1) | m, k23, origin=-1 | m, k3, origin=1 | t, t | cm, k3 | m, cm[:2, :2] |
  mi, k3 | m, w | m, k3, cval=1, mode='constant' | e2, k3 | m, k23, origin=(1, 1, 1) |
  m, k23, origin=5 | f34, k3 | mb, k3 | m, k3, mode=['reflect', 'wrap'] | r4, r4
correlate: m, k23 | x, w | m, k23, mode='reflect' | m, k23, mode='constant' |
  m, k23, mode='nearest' | m, k23, mode='mirror' | m, k23, mode='wrap' | k23, m, mode='reflect' |
  k23, m, mode='constant' | k23, m, mode='nearest' | k23, m, mode='mirror' | k23, m, mode='wrap' |
  m, k23, origin=(0, 1) | m, k23, origin=-1 | m, k3, origin=1 | t, t | cm, k3 | m, cm[:2, :2] |
  mi, k3 | m, w | m, k3, cval=1, mode='constant' | e2, k3
gaussian_filter1d: x, 1.0 | x, 0.3 | x, 3.0 | m, 1.0, 0 | x, 1.0, order=1 | x, 1.0, order=2 |
  x, 1.0, order=3 | x, 1.5, mode='reflect' | x, 1.5, mode='constant' | x, 1.5, mode='nearest' |
  x, 1.5, mode='mirror' | x, 1.5, mode='wrap' | x, 1.0, truncate=2.0 | x, 1.0, radius=2 |
  x, 1.0, radius=0 | xi, 1.0 | f, 1.0 | c, 1.0 | x, -1.0 | u, 1.0 |
  x, 1.0, -1, 0, None, 'constant', 2.0 | x, 1.0, order=-1 | e, 1.0 | s, 1.0 | x, 1.0, radius=-1 |
  x, 1.0, radius=1.5 | b, 1.0
gaussian_filter: m, 1.0 | m, (1.0, 0.5) | m, (0, 1.0) | t, 1.0, axes=(1,) |
  t, (1.0, 0.5), axes=(0, 2) | t, 0.7, (0, 1, 2) | m, 1.0, order=1 | m, 1.2, mode='reflect' |
  m, 1.2, mode='constant' | m, 1.2, mode='nearest' | m, 1.2, mode='mirror' | m, 1.2, mode='wrap' |
  m, 1.0, mode=('wrap', 'nearest') | m, 1.0, radius=(1, 2) | m, 1.0, radius=1 | mi, 1.0 | cm, 0.5 |
  m, (1.0,) | m, (1.0, 1.0, 1.0) | f34, 1 | e2, 1.0 | m, 0 | x, 1.0 | t, 1.0, axes=(0, 0) |
  r4, 0.8, axes=(1, 3) | nm, 0.5 | m, 1.0, cval=3, mode='constant'
uniform_filter1d: x, 3 | x, 2 | x, 4 | x6, 3, mode='wrap' | m, 2, 0 | x, 3, mode='reflect' |
  x, 3, mode='constant' | x, 3, mode='nearest' | x, 3, mode='mirror' | x, 3, mode='wrap' |
  x, 9, mode='reflect' | x, 9, mode='constant' | x, 9, mode='nearest' | x, 9, mode='mirror' |
  x, 9, mode='wrap' | x, 3, origin=1 | x, 4, origin=-2 | x, 4, origin=1 | xi, 3 | u, 2 | f, 3 |
  x, 0 | x, 1 | x, -1 | x, 3, origin=2 | c, 3 | b, 3 | x, 3, cval=2.0, mode='constant' | e, 3 |
  x, 2.0
uniform_filter: m | m, 2 | m, (2, 3) | m, (1, 3), mode='wrap' | t, 2, axes=(0, 2) |
  m, 3, origin=(1, 0) | m, 3, origin=-1 | m, 3, mode='reflect' | m, 3, mode='constant' |
  m, 3, mode='nearest' | m, 3, mode='mirror' | m, 3, mode='wrap' | mi | cm | m, (2, 3, 1) | f34 |
  m, mode=('wrap', 'mirror') | e2 | r4, 2 | m, (5, 7) | mb
spline_filter1d: x | x6, 2 | m, 3, 0 | x, 4 | x, 5 | x, mode='constant' | x, mode='mirror' |
  x, mode='wrap' | x, mode='grid-constant' | x, mode='grid-wrap' | x6, 2, mode='constant' |
  x6, 2, mode='mirror' | x6, 2, mode='wrap' | x6, 2, mode='grid-constant' |
  x6, 2, mode='grid-wrap' | w2, 3, mode='constant' | w2, 3, mode='mirror' | w2, 3, mode='wrap' |
  w2, 3, mode='grid-constant' | w2, 3, mode='grid-wrap' | x, 5, mode='constant' |
  x, 5, mode='mirror' | x, 5, mode='wrap' | x, 5, mode='grid-constant' | x, 5, mode='grid-wrap' |
  o | x, 6 | c | xi | f | t, 3, 1 | nan1 | e | s
spline_filter: m | m, 2 | t | m, 5 | m, mode='constant' | m, mode='mirror' | m, mode='wrap' |
  m, mode='grid-constant' | m, mode='grid-wrap' | cm | mi | f34 | m, 1 | x | oo | o | r4, 3
map_coordinates: x, coord1 | x, coord1, 1 | x, coord1, 0 | img, coord | img, coord, 1 |
  img, coord, 0 | img, coord, 2 | img, coord, 4 | img, coord, 5 | img, coord, 1, 'reflect' |
  img, coord, 1, 'constant' | img, coord, 1, 'nearest' | img, coord, 1, 'mirror' |
  img, coord, 1, 'wrap' | img, coord, 1, 'grid-mirror' | img, coord, 1, 'grid-constant' |
  img, coord, 1, 'grid-wrap' | img, coord, 3, 'constant' | img, coord, 3, 'nearest' |
  img, coord, 3, 'mirror' | img, coord, 3, 'wrap' | img, coord, 3, 'grid-constant' |
  img, coord, 3, 'grid-wrap' | img, coord, 0, 'reflect' | img, coord, 0, 'constant' |
  img, coord, 0, 'nearest' | img, coord, 0, 'mirror' | img, coord, 0, 'wrap' |
  img, coord, 0, 'grid-mirror' | img, coord, 0, 'grid-constant' | img, coord, 0, 'grid-wrap' |
  img, coord, 2, 'constant' | img, coord, 2, 'nearest' | img, coord, 2, 'mirror' |
  img, coord, 2, 'wrap' | img, coord, 2, 'grid-constant' | img, coord, 2, 'grid-wrap' |
  img, coord, 1, 'constant', 2.5 | img, coord, 3, 'grid-constant', 1.5 |
  img, coord, 3, prefilter=False | cm, coord | mi, coord, 1 | img, coord1 | f34, coord, 1 |
  mb, coord, 0 | img, coord, 6 | o, coord1, 1 | o, coord1, 3, 'reflect' | o, coord1, 3, 'constant' |
  o, coord1, 3, 'nearest' | o, coord1, 3, 'mirror' | o, coord1, 3, 'wrap' |
  o, coord1, 3, 'grid-mirror' | o, coord1, 3, 'grid-constant' | o, coord1, 3, 'grid-wrap' |
  x, 3*coord1-9, 1, 'reflect' | x, 3*coord1-9, 1, 'constant' | x, 3*coord1-9, 1, 'nearest' |
  x, 3*coord1-9, 1, 'mirror' | x, 3*coord1-9, 1, 'wrap' | x, 3*coord1-9, 1, 'grid-mirror' |
  x, 3*coord1-9, 1, 'grid-constant' | x, 3*coord1-9, 1, 'grid-wrap' | x, 3*coord1-9, 3, 'constant' |
  x, 3*coord1-9, 3, 'mirror' | x, 3*coord1-9, 3, 'wrap' | x, 3*coord1-9, 3, 'grid-constant' |
  x, 3*coord1-9, 3, 'grid-wrap' | x, 3*coord1-9, 0, 'reflect' | x, 3*coord1-9, 0, 'constant' |
  x, 3*coord1-9, 0, 'nearest' | x, 3*coord1-9, 0, 'mirror' | x, 3*coord1-9, 0, 'wrap' |
  x, 3*coord1-9, 0, 'grid-mirror' | x, 3*coord1-9, 0, 'grid-constant' |
  x, 3*coord1-9, 0, 'grid-wrap' | x, np.array([[nan, 1.0, inf]]), 1 |
  x, np.array([[0.5, 1.5, 2.5, -0.5, 4.5]]), 0 |
  x, np.array([[-1.0, 0.0, 4.0, 5.0, 4.5, -0.5, 4.0000001]]), 1, 'reflect' |
  x, np.array([[-1.0, 0.0, 4.0, 5.0, 4.5, -0.5, 4.0000001]]), 1, 'constant' |
  x, np.array([[-1.0, 0.0, 4.0, 5.0, 4.5, -0.5, 4.0000001]]), 1, 'nearest' |
  x, np.array([[-1.0, 0.0, 4.0, 5.0, 4.5, -0.5, 4.0000001]]), 1, 'mirror' |
  x, np.array([[-1.0, 0.0, 4.0, 5.0, 4.5, -0.5, 4.0000001]]), 1, 'wrap' |
  x, np.array([[-1.0, 0.0, 4.0, 5.0, 4.5, -0.5, 4.0000001]]), 1, 'grid-mirror' |
  x, np.array([[-1.0, 0.0, 4.0, 5.0, 4.5, -0.5, 4.0000001]]), 1, 'grid-constant' |
  x, np.array([[-1.0, 0.0, 4.0, 5.0, 4.5, -0.5, 4.0000001]]), 1, 'grid-wrap'
shift: x, 1 | x, 1.5 | x, -0.7 | img, (1, -1) | img, 0.5 | img, (0.3, 0), order=1 |
  img, (1.2, -0.6), mode='constant' | img, (1.2, -0.6), mode='nearest' |
  img, (1.2, -0.6), mode='mirror' | img, (1.2, -0.6), mode='wrap' |
  img, (1.2, -0.6), mode='grid-constant' | img, (1.2, -0.6), mode='grid-wrap' |
  x, 2, order=0, mode='reflect' | x, 2, order=0, mode='constant' | x, 2, order=0, mode='nearest' |
  x, 2, order=0, mode='mirror' | x, 2, order=0, mode='wrap' | x, 2, order=0, mode='grid-mirror' |
  x, 2, order=0, mode='grid-constant' | x, 2, order=0, mode='grid-wrap' | img, 0 | mi, (1, 0) |
  mi, 0.5 | cm, 0.5 | f34, 0.5 | img, (1, 2, 3) | x, 9 | x, 0.5, order=2 | x, 1.0, cval=3 |
  img, 0.5, prefilter=False | u, 1 | t, (0, 0.5, 0) | nan1, 0.5, order=1 | x, w2[0]
zoom: x, 2 | x, 1.5 | x, 0.6 | img, 2 | img, (1, 2) | img, 0.5, order=1 | x6, 1.7, mode='constant' |
  x6, 1.7, mode='nearest' | x6, 1.7, mode='mirror' | x6, 1.7, mode='wrap' |
  x6, 1.7, mode='grid-constant' | x6, 1.7, mode='grid-wrap' |
  x6, 2, mode='constant', grid_mode=True | x6, 2, mode='nearest', grid_mode=True |
  x6, 2, mode='mirror', grid_mode=True | x6, 2, mode='wrap', grid_mode=True |
  x6, 2, mode='grid-constant', grid_mode=True | x6, 2, mode='grid-wrap', grid_mode=True |
  img, (1.5, 0.7), order=0 | mi, 2, order=1 | cm, 1.5 | x, -1 | img, (1, 2, 3) | o, 3 |
  x, 3, order=2 | f, 2 | u, 2 | t, (1, 1, 1.5) | x, 1 |
  x6, 0.5, order=1, grid_mode=True, mode='grid-constant'
affine_transform: img, k3[:2, :2] | img, w2 | img, np.eye(2) | img, k23 |
  img, np.array([[1.0, 0.2, 0.5], [0.1, 0.9, -0.3], [0, 0, 1]]) | img, np.eye(2), (0.5, -0.5) |
  img, np.eye(2), 0.5 | img, 0.5*np.eye(2), output_shape=(8, 9) |
  img, np.array([[0.8, 0.3], [-0.2, 1.1]]), (0.3, 0.2), mode='constant' |
  img, np.array([[0.8, 0.3], [-0.2, 1.1]]), (0.3, 0.2), mode='nearest' |
  img, np.array([[0.8, 0.3], [-0.2, 1.1]]), (0.3, 0.2), mode='mirror' |
  img, np.array([[0.8, 0.3], [-0.2, 1.1]]), (0.3, 0.2), mode='wrap' |
  img, np.array([[0.8, 0.3], [-0.2, 1.1]]), (0.3, 0.2), mode='grid-constant' |
  img, np.array([[0.8, 0.3], [-0.2, 1.1]]), (0.3, 0.2), mode='grid-wrap' |
  img, np.array([2.0, 0.5]), order=1 | x, np.array([0.5]) | x, np.array([[0.5]]), 0.2 |
  mi, np.eye(2), order=1 | cm, np.eye(2), 0.5 | img, m | img, np.eye(3) |
  img, np.array([1.2, 0.8]), (0.1, 0.2), order=3 | t, np.eye(3), 0.25, order=1 |
  f34, np.eye(2), 0.5 | img, np.eye(2), order=0, mode='nearest' | img, np.eye(2), (0.5, 0.5, 0.5)
rotate: img, 30 | img, 90 | img, 180 | img, 45, reshape=False | img, 30, order=1 |
  img, -20, mode='nearest' | img3, 30 | img3, 30, (0, 2) | img3, 30, (2, 1) | img, 0 |
  mi, 45, order=0 | cm, 30 | x, 30 | img3, 30, (1, 1) | img, 360 |
  img, 33, mode='constant', reshape=False | img, 33, mode='nearest', reshape=False |
  img, 33, mode='mirror', reshape=False | img, 33, mode='wrap', reshape=False |
  img, 33, mode='grid-constant', reshape=False | img, 33, mode='grid-wrap', reshape=False |
  f34, 15 | img, 30, cval=2.0 | img3, 10, (-1, -2), False | img, 270
""",
}

#: Calls that differ, by how and why: see `test_scipy_calls.py`.
OTHERWISE = {
    "ndimage": {
        "number: more dtypes and forms are taken": """
convolve1d: h, w
gaussian_filter1d: h, 1.0
gaussian_filter: hm, 1.0
uniform_filter1d: h, 3
""",
        "number: what is not defined is NaN or infinite, and nothing is raised": """
gaussian_filter1d: x, 0.0
""",
        "result: SciPy's running sums keep a NaN or an infinity": """
uniform_filter1d: nan1, 3 | inf1, 2
""",
        "refused: there is nothing to compute with": """
uniform_filter: m, 0
map_coordinates: e2, coord, 1
shift: e, 1 | e2, 1
zoom: x, 0 | x, 0.1 | e, 2
""",
        "result: SciPy cuts off the sum of the reflected spline": """
spline_filter1d: x, mode='reflect' | x, mode='nearest' | x, mode='grid-mirror' |
  x6, 2, mode='reflect' | x6, 2, mode='nearest' | x6, 2, mode='grid-mirror' |
  w2, 3, mode='reflect' | w2, 3, mode='nearest' | w2, 3, mode='grid-mirror' | x, 5, mode='reflect' |
  x, 5, mode='nearest' | x, 5, mode='grid-mirror'
spline_filter: m, mode='reflect' | m, mode='nearest' | m, mode='grid-mirror'
map_coordinates: img, coord, 3, 'reflect' | img, coord, 3, 'grid-mirror' |
  img, coord, 2, 'reflect' | img, coord, 2, 'grid-mirror' | x, 3*coord1-9, 3, 'reflect' |
  x, 3*coord1-9, 3, 'nearest' | x, 3*coord1-9, 3, 'grid-mirror'
shift: img, (1.2, -0.6), mode='reflect' | img, (1.2, -0.6), mode='grid-mirror'
zoom: x6, 1.7, mode='reflect' | x6, 1.7, mode='grid-mirror' |
  x6, 2, mode='reflect', grid_mode=True | x6, 2, mode='grid-mirror', grid_mode=True |
  img, 2, grid_mode=True, mode='reflect'
affine_transform: img, np.array([[0.8, 0.3], [-0.2, 1.1]]), (0.3, 0.2), mode='reflect' |
  img, np.array([[0.8, 0.3], [-0.2, 1.1]]), (0.3, 0.2), mode='grid-mirror'
rotate: img, 33, mode='reflect', reshape=False | img, 33, mode='grid-mirror', reshape=False
""",
        "refused: counts are integers that 64 bits hold": """
spline_filter1d: x, 1 | x, 0
""",
    },
}  # fmt: skip
