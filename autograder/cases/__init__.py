"""What each exercise is tested with: inputs, expected values and advice, a module a chapter."""
