"""The table of settings."""

from __future__ import annotations

import pytest

from penstock.settings import SETTINGS, Setting
from penstock.settings.client_keys import CLIENT_KEYS
from penstock.settings.table import NOT_HONOURED, RENAMED


def test_every_key_stands_once() -> None:
    keys = [setting.key for setting in SETTINGS] + [*NOT_HONOURED, *RENAMED]
    assert sorted(set(keys)) == sorted(keys)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_a_default_is_a_value_it_may_have(setting: Setting) -> None:
    if setting.default is not None:
        setting.parse(setting.default)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_a_number_has_a_unit(setting: Setting) -> None:
    assert setting.unit is not None or type(setting.default) is not int
    assert setting.unit == "ms" or not setting.key.endswith(".ms")


def test_what_an_application_says_once_for_all_is_said_to_clients_by_it() -> None:
    """A bare key that is both must be one the clients get from the application anyway, or, as the
    level of metrics, one that librdkafka does not have.
    """
    both = {setting.key for setting in SETTINGS} & frozenset().union(*CLIENT_KEYS.values())
    assert both == {"bootstrap.servers", "client.id", "metrics.recording.level"}
