"""What the words of a command line mean: shared options, times, values, programs, clusters."""
