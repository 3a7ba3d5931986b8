"""The state of an application that need not run: its stores as their changelogs have them."""
