"""Why a broker and a client do not talk to each other, and which setting to look at.

librdkafka says "certificate verify failed" of a certificate that is expired, of another host or of
an unknown authority alike. OpenSSL knows which, so Python connects once more to read its reason.
No text here holds the value of a setting other than the name of a file.
"""

from __future__ import annotations

import os
import re
import socket
import ssl
from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaError, KafkaException

from penstock._engine.kafka.client.client_errors import code_of
from penstock.errors import ConfigError
from penstock.settings import StreamsConfig

_REFUSED = frozenset(
    {
        KafkaError._AUTHENTICATION,
        KafkaError._SSL,
        KafkaError.SASL_AUTHENTICATION_FAILED,
        KafkaError.UNSUPPORTED_SASL_MECHANISM,
        KafkaError.ILLEGAL_SASL_STATE,
    }
)

# The broker ends the connection with an alert: the client's certificate is at fault. librdkafka
# takes it for a connection that broke.
_ALERT = re.compile(r"ssl/tls alert [a-z ]*|sslv3 alert [a-z ]*|SSL alert number \d+")
_TOKEN = re.compile(r"OAUTHBEARER token|OAuth token|invalid_token|OIDC")
_SERVER = re.compile(r"ssl://\[?(?P<host>[^/]+?)\]?:(?P<port>\d+)/")
_PROBE_SECONDS = 5.0

_EXPIRED, _NOT_YET_VALID = 10, 9
_OTHER_HOST = frozenset({62, 64})

_FILES = {
    "ssl.ca.location": "'ssl.truststore.location' (or 'ssl.ca.location')",
    "ssl.certificate.location": "'ssl.keystore.location' (or 'ssl.certificate.location')",
    "ssl.key.location": "'ssl.keystore.location' (or 'ssl.key.location')",
    "ssl.keystore.location": "'ssl.keystore.location'",
    "ssl.crl.location": "'ssl.crl.location'",
    "sasl.kerberos.keytab": "'sasl.kerberos.keytab'",
}


def is_refusal(fault: KafkaError) -> bool:
    """Return whether waiting cannot help: one side does not trust the other."""
    return fault.code() in _REFUSED or _ALERT.search(fault.str()) is not None


def lacks_token(fault: KafkaError) -> bool:
    """Return whether a token could not be got: the next attempt may get one."""
    return "Failed to acquire SASL OAUTHBEARER token" in fault.str()


def advice(reason: str, settings: Mapping[str, Any]) -> str:
    """Return what to look at, given the client's reason and its settings in librdkafka's words."""
    if "certificate verify failed" in reason:
        return _of_broker_certificate(reason, settings)
    if _ALERT.search(reason):
        which = "was given" if _has_certificate(settings) else "is missing"
        return (
            f"the broker refuses the client's certificate, which {which}: 'ssl.keystore.location' "
            "must hold one that is signed by an authority the broker trusts and is not expired, "
            "with its key"
        )
    if _TOKEN.search(reason):
        return (
            "no valid token was got: look at 'oauth_cb', or at "
            "'sasl.oauthbearer.token.endpoint.url' and the client's id and secret"
        )
    if "mechanism" in reason and "invalid credentials" not in reason:
        return "look at 'sasl.mechanism': the broker's listener must have it enabled"
    if "SASL" in reason or "uthentication" in reason:
        return "look at 'sasl.username' and 'sasl.password', or at 'sasl.jaas.config'"
    return "look at 'security.protocol' and the settings that start with 'sasl.' and 'ssl.'"


def check_files(settings: Mapping[str, Any]) -> None:
    """Check the files of a client, whose own message does not name them.

    Raises:
        ConfigError: one is not there, or may not be read.
    """
    for key, names in _FILES.items():
        path = settings.get(key)
        if not isinstance(path, str) or path == "probe" or os.access(path, os.R_OK):
            continue
        why = "may not be read" if os.path.exists(path) else "is not there"
        msg = (
            f"setting {names} must name a file that the driver and every executor can read; "
            f"{path!r} {why} on {socket.gethostname()!r}"
        )
        raise ConfigError(msg)


def check_token_function(config: StreamsConfig) -> None:
    """Call the user's function for tokens once: a client waits in silence if it fails.

    Raises:
        ConfigError: it raises, or does not return a token and when that ends.
    """
    function = config.given().get("oauth_cb")
    if not callable(function):
        return
    expected = "setting 'oauth_cb' must return a token and when it ends, in seconds since 1970"
    try:
        answer = function(str(config.given().get("sasl.oauthbearer.config", "")))
    except Exception as error:
        got = config.without_secrets(f"{type(error).__name__}: {error}")
        msg = f"{expected}; got {got}"
        raise ConfigError(msg) from error
    if not isinstance(answer, tuple) or len(answer) < 2 or not isinstance(answer[0], str):
        # Not shown: it may hold the token.
        msg = f"{expected}; got a {type(answer).__name__} that is not such a pair"
        raise ConfigError(msg)


def client_refused(error: KafkaException, config: StreamsConfig) -> ConfigError:
    """Return an error for settings that the client itself does not take."""
    text = config.without_secrets(code_of(error).str())
    hint = ""
    if "PKCS#12" in text:
        hint = "; is 'ssl.keystore.password' right?"
    elif "ssl.key.location failed" in text or "ssl.key.pem failed" in text:
        hint = "; is it a key in PEM, and 'ssl.key.password' right?"
    elif "OAuth token" in text:
        hint = f"; {advice(text, {})}"
    return ConfigError(f"a setting of the Kafka clients is refused: {text}{hint}")


def _of_broker_certificate(reason: str, settings: Mapping[str, Any]) -> str:
    authority = "'ssl.truststore.location' (or 'ssl.ca.location')"
    code, text = _ask_why(reason, settings)
    if code == _EXPIRED:
        return "the broker's certificate has expired: it must be renewed at the broker"
    if code == _NOT_YET_VALID:
        return "the broker's certificate is not valid yet: compare the clocks of both machines"
    if code in _OTHER_HOST:
        return (
            f"the broker's certificate is of another host ({text}): 'bootstrap.servers' and the "
            "broker's 'advertised.listeners' must have a name that is in it"
        )
    if text:
        return f"{authority} must hold the authority that signed the broker's certificate ({text})"
    return (
        f"{authority} must hold the authority that signed the broker's certificate, which must not "
        "be expired or of another host"
    )


def _ask_why(reason: str, settings: Mapping[str, Any]) -> tuple[int, str]:
    """Return OpenSSL's code and words for what is wrong with the broker's certificate."""
    server = _SERVER.search(reason)
    if server is None:
        return 0, ""
    try:
        context = ssl.create_default_context(
            cafile=settings.get("ssl.ca.location"), cadata=settings.get("ssl.ca.pem")
        )
        address = (server["host"], int(server["port"]))
        with (
            socket.create_connection(address, _PROBE_SECONDS) as connection,
            context.wrap_socket(connection, server_hostname=server["host"]),
        ):
            return 0, ""
    except ssl.SSLCertVerificationError as error:
        return error.verify_code, error.verify_message
    except (OSError, ValueError):
        return 0, ""


def _has_certificate(settings: Mapping[str, Any]) -> bool:
    keys = ("ssl.keystore.location", "ssl.certificate.location", "ssl.certificate.pem")
    return any(settings.get(key) for key in keys)
