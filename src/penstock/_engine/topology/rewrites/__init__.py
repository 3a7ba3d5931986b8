"""Rewrites of a program's steps before they become a topology."""
