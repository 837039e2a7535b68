"""Constants of Note [Cost of repetition], by `benchmarks/rolling_costs.py`."""

__all__ = ["COMPILATION"]

COMPILATION = {
    "elementwise": 1.0,
    "cheap": 0.0011,
    "moves": 23.0,
    "reductions": 49.0,
    "matrices": 9.2,
    "vectors": 34.0,
    "others": 26.0,
    "calls": 45.0,
    "program": 31.0,
    "parts": 9.8,
    "rows": 24.0,
    "numbers": 0.0043,
    "arrays": 26.0,
    "batch": 22.0,
    "library": 180.0,
}
