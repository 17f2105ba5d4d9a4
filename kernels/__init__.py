"""Room for the CUDA kernels: one operation a ``.cu`` file, the same text for NVIDIA, AMD and the CPU.

Nothing in here yet; the trainer's arithmetic reaches kernels through :class:`solutions.backend.Backend`.
"""
