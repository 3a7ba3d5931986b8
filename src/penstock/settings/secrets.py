"""Which settings are secrets, and how values are shown without them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

HIDDEN = "<hidden>"

_SECRET_KEY = re.compile(
    r"passw|secret|token|jaas|passphrase|credential|private.?key|user\.?info"
    r"|sasl.oauthbearer.(config|extensions)|ssl.key(\.pem|$)|ssl.keystore.key|api.?key|access.?key",
    re.IGNORECASE,
)
# user:password@ in a URL, wherever it stands.
_SECRET_IN_URL = re.compile(r"(?<=://)[^/@\s]+@")
# password=... in the query of a URL, or in a list such as that of libpq.
_SECRET_IN_LIST = re.compile(
    r"""(?<![^?&;,\s'"])"""
    r"([\w.-]*(?:passw|passphrase|pwd|secret|token|credential|api_?key|access_?key)[\w.-]*\s*=\s*)"
    # In quotes or braces, in which some characters are escaped, with what is glued to it; or
    # without them: then a quote at its end is that of a list around it.
    r"""(?:(?:'(?:\\.|[^'\\])*'|'[^']*'|"(?:\\.|[^"\\])*"|"[^"]*"|\{(?:\}\}|[^}])*\})[^&;,\s'"]*"""
    r"""|[^&;,\s'"]+(?:['"][^&;,\s'"\])}]+)*)""",
    re.IGNORECASE,
)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")


def is_secret(key: str) -> bool:
    """Yes if the value of a setting must not be shown."""
    return _SECRET_KEY.search(key.replace("_", ".")) is not None


def shown(key: str, value: Any) -> str:
    """Return a value as a text without secrets."""
    if value is not None and is_secret(key):
        return HIDDEN
    printed = value if isinstance(value, str) else repr(value)
    if _PRIVATE_KEY.search(printed):
        return HIDDEN
    return _SECRET_IN_LIST.sub(rf"\1{HIDDEN}", _SECRET_IN_URL.sub(f"{HIDDEN}@", printed))


def without_secrets(text: str, settings: Mapping[str, Any]) -> str:
    """Return a foreign text with the values of secret settings hidden."""
    secrets = [
        value
        for key, value in settings.items()
        if is_secret(key) and isinstance(value, str) and value
    ]
    # The longest first: one may be a part of another.
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text
