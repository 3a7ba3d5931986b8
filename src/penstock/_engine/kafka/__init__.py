"""Carry it out: everything that talks to Kafka, and the Java jars that some of it needs."""
