"""The machinery behind the public API. Nothing here is a promise to users."""
