"""Every op of the dialect, a family a file."""

from anvl.dialect.ops import bessel as bessel
from anvl.dialect.ops import cholesky as cholesky
from anvl.dialect.ops import compare as compare
from anvl.dialect.ops import complexes as complexes
from anvl.dialect.ops import contract as contract
from anvl.dialect.ops import convolution as convolution
from anvl.dialect.ops import create as create
from anvl.dialect.ops import cumulative as cumulative
from anvl.dialect.ops import determinant as determinant
from anvl.dialect.ops import dynamic as dynamic
from anvl.dialect.ops import elementwise as elementwise
from anvl.dialect.ops import factor as factor
from anvl.dialect.ops import fold as fold
from anvl.dialect.ops import gather as gather
from anvl.dialect.ops import normalize as normalize
from anvl.dialect.ops import pad as pad
from anvl.dialect.ops import precision as precision
from anvl.dialect.ops import reduce as reduce
from anvl.dialect.ops import scatter as scatter
from anvl.dialect.ops import select_and_scatter as select_and_scatter
from anvl.dialect.ops import shape as shape
from anvl.dialect.ops import solve as solve
from anvl.dialect.ops import spectral as spectral
from anvl.dialect.ops import svd as svd
from anvl.dialect.ops import triangular as triangular
from anvl.dialect.ops import window as window
