"""The prose of the course, a Markdown notebook a chapter, and the pictures that go with it."""
