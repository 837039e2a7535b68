"""`anvl.scipy.integrate`: differential equations and integrals of samples.

>>> import numpy
>>> from anvl.scipy import integrate
>>> y = integrate.odeint(lambda y, t: -y, 1.0, numpy.array([0.0, 1.0]))
>>> print(round(float(y[1]), 6))
0.367879
"""

from anvl.scipy.integrate.ode import odeint as odeint
from anvl.scipy.integrate.ode import trapezoid as trapezoid

__all__ = ["odeint", "trapezoid"]


def __dir__() -> list[str]:
    return list(__all__)
