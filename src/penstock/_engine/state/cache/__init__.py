"""The record cache: several changes of a key between two commits become one."""
