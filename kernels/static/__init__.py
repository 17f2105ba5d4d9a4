"""What the compilers know of a kernel without a GPU: registers, shared memory, spills, and the occupancy that follows.

``cards`` lists the cards of the course and the limits of their architectures, ``nvidia`` and ``amd`` ask the compilers,
``occupancy`` computes, ``report`` puts a table together for ``python -m kernels report``.
"""
