"""Changes of the steps of a program before they become a topology."""
