"""The CPU emulator: the same kernel text, compiled for this machine, with every access seen and counted.

``build`` compiles (``toolchain`` finds the compiler, ``annotate`` numbers what it wrote), ``machine`` runs launches in
a process of its own (``worker``, ``native``), ``launch`` places arrays (``placed``) and gathers the report (``faults``,
``tally``, ``counters``). ``runtime/`` is the C++ underneath: fibers, races, requests; ``include/`` is CUDA for a host
compiler.
"""
