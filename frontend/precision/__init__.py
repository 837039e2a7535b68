"""Programs in several precisions: contractions of bf16 or f16, and the error that this makes."""
