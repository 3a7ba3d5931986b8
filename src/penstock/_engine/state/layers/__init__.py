"""What stands between a user and an engine: types and the changelog."""
