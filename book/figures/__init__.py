"""The book's pictures: each chapter's are drawn by a module here, ``python -m book.figures`` writes the SVG files."""
