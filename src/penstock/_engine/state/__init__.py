"""Remember it: the store contract, engines behind it, layers in front of it."""
