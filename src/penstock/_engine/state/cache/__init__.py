"""The record cache: several writes of a key between two commits become one."""
