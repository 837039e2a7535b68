"""`python -m anvl.testing.random_programs`."""

import sys

from anvl.testing.random_programs.driver import main

sys.exit(main())
