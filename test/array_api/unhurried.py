"""A plugin for pytest: the suite's tests may be slow, as on a machine that does other things."""

from hypothesis import HealthCheck, settings

# The suite's own profile takes what it does not name from the one that is loaded.
settings.register_profile("unhurried", suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
