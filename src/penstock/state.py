"""Where state lives: the contract of a store's engine. See `penstock.stores.engine`."""

from penstock.stores.engine import BytesReader, KeyRange, OpenEngine, StoreEngine, StorePlace

__all__ = ["BytesReader", "KeyRange", "OpenEngine", "StoreEngine", "StorePlace"]
