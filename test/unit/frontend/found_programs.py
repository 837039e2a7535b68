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
]
