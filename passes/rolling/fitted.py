"""Constants of Note [Cost of repetition], by `benchmarks/rolling_costs.py`."""

__all__ = ["COMPILATION"]

COMPILATION = {
    "elementwise": 1.0,
    "cheap": 0.0011,
    "moves": 22.0,
    "reductions": 79.0,
    "matrices": 4.1,
    "vectors": 44.0,
    "others": 22.0,
    "calls": 82.0,
    "program": 91.0,
    "parts": 6.7,
    "rows": 34.0,
    "numbers": 0.012,
    "arrays": 150.0,
    "batch": 18.0,
}
