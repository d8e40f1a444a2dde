"""Random litmus tests lie beside the tests of the engines."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "solving"))
