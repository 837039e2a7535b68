"""`anvl.scipy.integrate`: differential equations and integrals of samples.

>>> import numpy
>>> from anvl.scipy import integrate
>>> y = integrate.odeint(lambda y, t: -y, 1.0, numpy.array([0.0, 1.0]))
>>> print(round(float(y[1]), 6))
0.367879
"""

from anvl.core.importing import suggest_names as _suggest_names
from anvl.scipy.integrate.ode import odeint as odeint
from anvl.scipy.integrate.ode import trapezoid as trapezoid
from anvl.scipy.list_arguments import take_lists as _take_lists

__all__ = ["odeint", "trapezoid"]

_take_lists(["trapezoid"], globals())  # those of odeint are pytrees

_suggest_names(globals())


def __dir__() -> list[str]:
    return list(__all__)
