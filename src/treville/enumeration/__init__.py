"""The explicit engine: lists the candidate executions of a small test and keeps the consistent ones.

It is the fast path of `treville litmus`. Threads are run concretely (`events.traces`), coherence per
location prunes the choices of reads-from and coherence (`coherence`), the model is compiled to Python
that works on relations packed into single ints (`compile`, `packed`), and its static part is evaluated once
per set of event shapes (`engine`). It shares no code with the brute-force oracle.
"""
