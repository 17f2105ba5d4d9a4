"""The emulator's counters held against a machine's: ``python -m benchmarks.gpu_truth`` says how."""
