"""What every command answers on fixed inputs, stored as text: a net under changes that should change nothing.

`commands/*.txt` hold command lines, `expected/*.txt` what they printed. `test_snapshots.py` compares, and
`python -m tests.snapshots.renew` (or `make snapshots`) writes the answers anew and tells what changed.
"""
