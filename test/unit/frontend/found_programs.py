"""Programs that random drawing found to be wrong, made small; each with its cause, corrected since.

`make fuzz` writes such texts to `out/fuzz`.
"""

FOUND = [
    (
        "XLA divides constants when it compiles, and integers by zero ended the process",
        """
        v0 = numpy.array(5, "int32")
        v1 = np.ptp(v0)
        v2 = np.remainder(v1, v1)
        v3 = np.floor_divide(v1, v1)
        """,
    ),
    (
        "fabs gave integers for integers",
        """
        v0 = numpy.array([-3, 2], "int32")
        v1 = np.fabs(v0)
        """,
    ),
    (
        "StableHLO's folder divided by the zero of a splat without elements, and ended the process",
        """
        v0 = np.zeros((0, 3), "uint32")
        v1 = np.floor_divide(3, v0)
        """,
    ),
    (
        "the sum of the two arguments overflowed, and the quotient of 2 was below normal numbers",
        """
        v0 = numpy.array(3.4028234663852886e+38, "float32")
        v1 = np.gammaincc(v0, v0)
        """,
    ),
]
