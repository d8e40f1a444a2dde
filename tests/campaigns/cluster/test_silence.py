"""What Dask's processes say when they are interrupted reaches nobody; what the command says does."""

from __future__ import annotations

import os
import subprocess
import sys

_PROGRAM = """
import subprocess, sys
from treville.campaigns.cluster.connection import _Silence
silence = _Silence()
subprocess.run([sys.executable, "-c", "raise KeyboardInterrupt"], check=False)
print("of the command", file=sys.stderr)
silence.end()
subprocess.run([sys.executable, "-c", "import os; os.write(2, b'of others')"], check=False)
"""


def test_only_the_command_is_heard() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "TREVILLE_TRACEBACK"}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], stderr=subprocess.PIPE, env=environment, check=True
    )
    assert done.stderr == b"of the command\nof others"
