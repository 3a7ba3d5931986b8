"""The rivals' programs. Each runs in an environment of its own and imports nothing of ours."""
