"""Every op of the dialect, a family a file."""

from anvl.dialect.ops import bessel as bessel
from anvl.dialect.ops import compare as compare
from anvl.dialect.ops import complexes as complexes
from anvl.dialect.ops import contract as contract
from anvl.dialect.ops import create as create
from anvl.dialect.ops import elementwise as elementwise
from anvl.dialect.ops import fold as fold
from anvl.dialect.ops import pad as pad
from anvl.dialect.ops import precision as precision
from anvl.dialect.ops import reduce as reduce
from anvl.dialect.ops import shape as shape
