"""How driver and workers talk: authenticated messages of limited length over TCP."""
