"""Where the stores of verbs live that leave it to the settings, and whether their rows hold
headers. Java: DslStoreSuppliers and DslStoreFormat.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

from penstock._engine.topology.topology import Topology
from penstock.settings import StreamsConfig
from penstock.stores import StoreBuilder
from penstock.stores._builders import keeping_headers


def with_default_stores(topology: Topology, config: StreamsConfig) -> Topology:
    """Return the topology with its stores where and as the settings have them: a copy if that
    changes anything. What the builder was told before is not changed again.
    """
    engine, with_headers = config.dsl_engine, config.dsl_stores_keep_headers

    def placed(store: StoreBuilder) -> StoreBuilder:
        if store.follows_settings and store.engine != engine:
            store = replace(store, engine=engine, follows_settings=False)
        return keeping_headers(store) if with_headers else store

    stores = {name: placed(store) for name, store in topology.stores.items()}
    of_all = {
        name: replace(nodes, store=placed(nodes.store))
        for name, nodes in topology.global_stores.items()
    }
    if stores == topology.stores and of_all == topology.global_stores:
        return topology
    changed = copy(topology)
    changed.stores, changed.global_stores = stores, of_all
    return changed
