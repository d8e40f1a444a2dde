"""Names of functions that no program calls: what is known of its variables before LLVM's passes reaches what
reads their result as calls of these."""

from __future__ import annotations

KEEP, KNOWN = "treville.keep", "treville.known"  # the latter outlives itself: somebody knows its address
BEGIN = "treville.begin"  # of the life of a large array without values
UNSET, READ = "treville.unset.", "treville.read."
TYPES_OF_C = "; indexed arrays are as C's text has them"  # a line behind a module that we compiled
