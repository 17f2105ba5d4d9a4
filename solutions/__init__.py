"""The reference implementation: tensors by index, layers, losses, optimisers, data and the trainer.

An ordinary typed package. Regions between ``### BEGIN SOLUTION`` and ``### END SOLUTION`` are the exercises of the
book's chapters: ``python -m autograder release`` turns them into blanks for students and into the reference notebooks
that stand beside these modules.
"""
