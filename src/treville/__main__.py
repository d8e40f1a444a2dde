"""`python -m treville` is the `treville` command."""

import sys

from treville.cli.main import main

sys.exit(main())
