"""Texts of small systems that several tests share."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "param"
CORPUS = ROOT.parent / "shared" / "corpora" / "parameterised"

FLAGS = (EXAMPLES / "flags.cub").read_text()
FLAGS_NO_FENCE = (EXAMPLES / "flags-no-fence.cub").read_text()
MESSAGE = (EXAMPLES / "message.cub").read_text()
SPINLOCK = (EXAMPLES / "spinlock.cub").read_text()

MUTEX = """
type place = Idle | Want | Crit
var Free : bool
array At[proc] : place
init (p) { At[p] = Idle && Free = True }
unsafe (p q) { At[p] = Crit && At[q] = Crit }
transition want (p) requires { At[p] = Idle } { At[p] := Want }
transition enter (p) requires { At[p] = Want && Free = True } { At[p] := Crit; Free := False }
transition leave (p) requires { At[p] = Crit } { At[p] := Idle; Free := True }
"""

# Two processes write both variables in opposite orders; each variable keeps the other's first write.
TWO_WRITES = """
number_procs 2
type loc = L0 | L1 | L2
type small = A | B | C
weak var X : small
weak var Y : small
array At[proc] : loc
init (p) { At[p] = L0 && X = A && Y = A }
unsafe (p q) { p = #1 && q = #2 && At[p] = L2 && At[q] = L2 && p@X = B && p@Y = B && q@X = B && q@Y = B }
transition a0 ([p]) requires { p = #1 && At[p] = L0 } { At[p] := L1; X := B }
transition a1 ([p]) requires { p = #1 && At[p] = L1 } { At[p] := L2; Y := C }
transition b0 ([p]) requires { p = #2 && At[p] = L0 } { At[p] := L1; Y := B }
transition b1 ([p]) requires { p = #2 && At[p] = L1 } { At[p] := L2; X := C }
"""
