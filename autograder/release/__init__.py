"""The single source: prose, code and kernels become student notebooks, reference notebooks and the book."""
