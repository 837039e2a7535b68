"""Constants of Note [Cost of repetition], by `benchmarks/rolling_costs.py`."""

__all__ = ["COMPILATION"]

COMPILATION = {
    "elementwise": 1.0,
    "cheap": 0.0013,
    "moves": 27.0,
    "reductions": 88.0,
    "matrices": 3.3,
    "vectors": 50.0,
    "others": 27.0,
    "calls": 88.0,
    "program": 93.0,
    "parts": 5.2,
    "rows": 39.0,
    "numbers": 0.01,
    "arrays": 180.0,
    "batch": 24.0,
}
