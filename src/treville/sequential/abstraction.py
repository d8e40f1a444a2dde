"""The shared memory abstractions of paper 001: what reads, writes and fences do, in the C of `language`.

`lists` are eTSO-SMA and ePSO-SMA (Figure 3 and section V, corrected): a temporal circular doubly linked list
of writes for each location, in which pending writes lie behind the one that memory holds. `buffers` is the
reference of section III, with a queue for each thread. `memory` is what is left of both under SC.

Figure 3 sets `tstamp[v][t]` in its line 36 where `tstamp[v][node]` is meant, and calls `max_tstamp` by two
names. At clock K all writes have expired, the sentinel among them, and nothing can be read or written any
more, so the clock stays below K here. Read-modify-writes, atomic blocks and fences between writes are ours.
"""

from __future__ import annotations

from functools import cache

from treville.sequential.language import Text, read_text

# -- lists: eTSO-SMA and ePSO-SMA ------------------------------------------------------------------------

_LISTS = """\
/* The time by now: writes whose timestamps are not later have reached memory. */
static uint clock;
/* The writes of each location, sorted by their timestamps: node N is the sentinel, whose successor is the
   oldest. Nodes up to the last one that has reached memory (the head) are free, but for that one itself. */
static word value[V][N];
static uint tstamp[V][N + 1];
static uint prev[V][N + 1];
static uint next[V][N + 1];
/* The last write of each thread to each location, and the latest timestamp of each thread. */
static word last_value[V][T];
static uint last_tstamp[V][T];
static uint max_tstamp[T];
%(variables)s
void init(void)
{
    for (uint v = 0; v < V; v++) {
        for (uint i = 0; i < N; i++) {
            value[v][i] = initial[v];
            next[v][i] = i + 1;
            prev[v][i + 1] = i;
        }
        tstamp[v][N] = K;
        next[v][N] = 0;
        prev[v][0] = N;
    }
}

/* Time passes, as far as it likes: what was pending may reach memory. */
void clock_update(void)
{
    uint now = guess(K);
    assume(now >= clock);
    clock = now;
}

/* What the thread t sees at v: its own pending write, or what memory holds. */
word look(uint v, uint t)
{
    uint node = guess(N);
    assume(tstamp[v][node] <= clock);
    assume(tstamp[v][next[v][node]] > clock);
    word found = value[v][node];
    if (last_tstamp[v][t] > clock)
        found = last_value[v][t];
    return found;
}

/* Take the oldest node out of the list of v: it must be free. */
uint take(uint v)
{
    uint node = next[v][N];
    uint second = next[v][node];
    assume(tstamp[v][second] <= clock);
    next[v][N] = second;
    prev[v][second] = N;
    return node;
}

/* Put a node between two others, as the write of the thread t that reaches memory at a time. */
void put(uint v, uint node, uint pred, uint succ, uint ts, word val, uint t)
{
    value[v][node] = val;
    tstamp[v][node] = ts;
    next[v][node] = succ;
    prev[v][node] = pred;
    next[v][pred] = node;
    prev[v][succ] = node;
    last_tstamp[v][t] = ts;
    last_value[v][t] = val;
}

/* A write that reaches memory at a time which is guessed. */
void store(uint v, word val, uint t)
{
    uint node = take(v);
    uint succ = guess(N + 1);
    assume(tstamp[v][succ] > clock);
    uint pred = prev[v][succ];
    uint ts = guess(K);
    assume(ts >= clock);
    assume(ts >= tstamp[v][pred]);
    assume(ts < tstamp[v][succ]);
%(ordered)s    put(v, node, pred, succ, ts, val, t);
%(latest)s}

/* A write that is in memory at once; nothing of the thread is pending. */
void store_now(uint v, word val, uint t)
{
    uint node = take(v);
    uint succ = guess(N + 1);
    assume(tstamp[v][succ] > clock);
    uint pred = prev[v][succ];
    assume(tstamp[v][pred] <= clock);
    put(v, node, pred, succ, clock, val, t);
}

/* All that the thread t wrote is in memory. */
void flush(uint t)
{
    if (clock < max_tstamp[t])
        clock = max_tstamp[t];
}
%(between_writes)s"""

_TSO = {
    "variables": "",
    "ordered": "    assume(ts >= max_tstamp[t]);\n",
    "latest": "    max_tstamp[t] = ts;\n",
    "between_writes": "",
}
_PSO = {
    "variables": """\
/* What later writes of each thread may not overtake. */
static uint floor_tstamp[T];
""",
    "ordered": "    assume(ts >= last_tstamp[v][t]);\n    assume(ts >= floor_tstamp[t]);\n",
    "latest": "    if (max_tstamp[t] < ts)\n        max_tstamp[t] = ts;\n",
    "between_writes": """
/* Later writes of the thread t reach memory after its earlier ones. */
void order_writes(uint t)
{
    floor_tstamp[t] = max_tstamp[t];
}
""",
}

# -- sorted: the same lists, each node at its place in the order ------------------------------------------

_SORTED = """\
/* The time by now: writes whose timestamps are not later have reached memory. */
static uint clock;
/* The writes of each location, sorted by their timestamps, the oldest first. The last one that has reached
   memory is what memory holds, those before it are free. */
static word value[V][N];
static uint tstamp[V][N];
/* The last write of each thread to each location, and the latest timestamp of each thread. */
static word last_value[V][T];
static uint last_tstamp[V][T];
static uint max_tstamp[T];
%(variables)s
void init(void)
{
    for (uint v = 0; v < V; v++)
        for (uint i = 0; i < N; i++)
            value[v][i] = initial[v];
}

void clock_update(void)
{
    uint now = guess(K);
    assume(now >= clock);
    clock = now;
}

word look(uint v, uint t)
{
    word found = value[v][0];
    for (uint i = 0; i < N - 1; i++)
        if (tstamp[v][i + 1] <= clock)
            found = value[v][i + 1];
    if (last_tstamp[v][t] > clock)
        found = last_value[v][t];
    return found;
}

/* The oldest node is free: it becomes the last one that is not later than ts. */
void put(uint v, uint ts, word val, uint t)
{
    assume(tstamp[v][1] <= clock);
    for (uint i = 0; i < N - 1; i++)
        if (tstamp[v][i + 1] <= ts) {
            value[v][i] = value[v][i + 1];
            tstamp[v][i] = tstamp[v][i + 1];
        } else if (tstamp[v][i] <= ts) {
            value[v][i] = val;
            tstamp[v][i] = ts;
        }
    if (tstamp[v][N - 1] <= ts) {
        value[v][N - 1] = val;
        tstamp[v][N - 1] = ts;
    }
    last_tstamp[v][t] = ts;
    last_value[v][t] = val;
}

void store(uint v, word val, uint t)
{
    uint ts = guess(K);
    assume(ts >= clock);
%(ordered)s    put(v, ts, val, t);
%(latest)s}

void store_now(uint v, word val, uint t)
{
    put(v, clock, val, t);
}

void flush(uint t)
{
    if (clock < max_tstamp[t])
        clock = max_tstamp[t];
}
%(between_writes)s"""

# -- memory: SC ------------------------------------------------------------------------------------------

_MEMORY = """\
/* What each location holds. */
static word memory[V];

void init(void)
{
    for (uint v = 0; v < V; v++)
        memory[v] = initial[v];
}

word look(uint v, uint t)
{
    (void)t;
    return memory[v];
}

void store_now(uint v, word val, uint t)
{
    (void)t;
    memory[v] = val;
}
"""

# -- buffers: TSO-SMA and PSO-SMA, the reference -----------------------------------------------------------

_BUFFERS = """\
/* What each location holds. */
static word memory[V];
/* The store buffer of each thread, the oldest write first. */
static uint size[T];
static uint target[T][N];
static word waiting[T][N];
%(variables)s
void init(void)
{
    for (uint v = 0; v < V; v++)
        memory[v] = initial[v];
}

/* Let the entry at a place of the buffer of t reach memory. */
void write_back(uint t, uint place)
{
    memory[target[t][place]] = waiting[t][place];
    for (uint i = 0; i < N - 1; i++)
        if (i >= place) {
            target[t][i] = target[t][i + 1];
            waiting[t][i] = waiting[t][i + 1];
%(shift)s        }
    size[t] = size[t] - 1;
}

/* Any number of writes reach memory. */
void clock_update(void)
{
    for (uint i = 0; i < T; i++)
        for (uint j = 0; j < N; j++)
            if (size[i] > 0 && guess(2) == 1) {
                uint place = %(choice)s;
                assume(place < size[i]);
%(allowed)s                write_back(i, place);
            }
}

/* What the thread t sees at v: its youngest pending write, or what memory holds. */
word look(uint v, uint t)
{
    word found = memory[v];
    for (uint i = 0; i < N; i++)
        if (i < size[t] && target[t][i] == v)
            found = waiting[t][i];
    return found;
}

void store(uint v, word val, uint t)
{
    assume(size[t] < N);
    target[t][size[t]] = v;
    waiting[t][size[t]] = val;
%(mark)s    size[t] = size[t] + 1;
}

void store_now(uint v, word val, uint t)
{
    (void)t;
    memory[v] = val;
}

/* All that the thread t wrote is in memory: writes of others may have come between. */
void flush(uint t)
{
    assume(size[t] == 0);
}
%(between_writes)s"""

_TSO_BUFFERS = {
    "variables": "",
    "shift": "",
    "choice": "0",
    "allowed": "",
    "mark": "",
    "between_writes": "",
}
_PSO_BUFFERS = {
    "variables": """\
/* Writes of a later epoch stay behind those of an earlier one. */
static uint epoch[T];
static uint since[T][N];
""",
    "shift": "            since[t][i] = since[t][i + 1];\n",
    "choice": "guess(N)",
    "allowed": """\
                for (uint k = 0; k < N; k++)
                    if (k < place) {
                        assume(target[i][k] != target[i][place]);
                        assume(since[i][k] == since[i][place]);
                    }
""",
    "mark": "    since[t][size[t]] = epoch[t];\n",
    "between_writes": """
/* Later writes of the thread t reach memory after its earlier ones. */
void order_writes(uint t)
{
    epoch[t] = epoch[t] + 1;
}
""",
}

_INITIAL = """\
/* What each location holds at first. */
static word initial[V];
"""

LISTS, SORTED, BUFFERS = "lists", "sorted", "buffers"
ABSTRACTIONS = (LISTS, SORTED, BUFFERS)


@cache
def abstraction(model: str, kind: str = LISTS) -> str:
    """The text for a model (`sc`, `tso`, `pso`)."""
    if model == "sc":
        return _MEMORY
    if kind == BUFFERS:
        return _BUFFERS % (_PSO_BUFFERS if model == "pso" else _TSO_BUFFERS)
    return (_SORTED if kind == SORTED else _LISTS) % (_PSO if model == "pso" else _TSO)


@cache
def abstraction_text(model: str, kind: str = LISTS) -> Text:
    """The same, as data; the initial values belong to the program."""
    return read_text(_INITIAL + abstraction(model, kind))
