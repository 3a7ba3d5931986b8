"""How a connection is secured: Java's settings in librdkafka's words.

Java keeps certificates in key stores and user names in a JAAS line; librdkafka takes PEM files and
plain settings. What cannot be said in its words is refused with the way out. No message here holds
a value: it might be a secret.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from penstock.errors import ConfigError

_Settings: TypeAlias = dict[str, Any]
_Store: TypeAlias = Literal["PEM", "PKCS12", "JKS"]

_SUFFIXES: dict[str, _Store] = {
    ".pem": "PEM",
    ".crt": "PEM",
    ".cer": "PEM",
    ".p12": "PKCS12",
    ".pfx": "PKCS12",
    ".jks": "JKS",
}

_TO_PKCS12 = (
    "keytool -importkeystore -srckeystore {file} -destkeystore store.p12 -deststoretype PKCS12"
)
_CA_TO_PEM = "openssl pkcs12 -in {file} -nokeys -out ca.pem"

_OIDC_HANDLER = "OAuthBearerLoginCallbackHandler"
_GRANTS = {
    "ClientCredentialsJwtRetriever": "client_credentials",
    "JwtBearerJwtRetriever": "urn:ietf:params:oauth:grant-type:jwt-bearer",
}
_USER = {"username": "sasl.username", "password": "sasl.password"}
_JAAS_OPTIONS = {
    "PlainLoginModule": _USER,
    "ScramLoginModule": _USER,
    "OAuthBearerLoginModule": {
        "clientId": "sasl.oauthbearer.client.id",
        "clientSecret": "sasl.oauthbearer.client.secret",
        "scope": "sasl.oauthbearer.scope",
    },
    "Krb5LoginModule": {"keyTab": "sasl.kerberos.keytab", "principal": "sasl.kerberos.principal"},
}
"""What the options of a JAAS line are called elsewhere, for each login module."""
_OAUTH_NAMES = {
    "sasl.oauthbearer.client.credentials.client.id": "sasl.oauthbearer.client.id",
    "sasl.oauthbearer.client.credentials.client.secret": "sasl.oauthbearer.client.secret",
    "sasl.oauthbearer.assertion.template.file": "sasl.oauthbearer.assertion.jwt.template.file",
}


def translate_security(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with Java's TLS and SASL settings translated for librdkafka."""
    result = dict(settings)
    for translate in (_truststore, _keystore, _host_name, _jaas, _oauth, _kerberos):
        translate(result)
    return result


def _truststore(settings: _Settings) -> None:
    file = settings.pop("ssl.truststore.location", None)
    kind = settings.pop("ssl.truststore.type", None)
    settings.pop("ssl.truststore.password", None)  # a file of certificates needs none
    certificates = settings.pop("ssl.truststore.certificates", None)
    if certificates is not None:
        settings["ssl.ca.pem"] = certificates
    if file is None:
        return
    if (store := _kind_of(file, kind, "JKS")) == "PEM":
        settings["ssl.ca.location"] = file
        return
    first = f"{_TO_PKCS12.format(file=file)}; " if store == "JKS" else ""
    then = _CA_TO_PEM.format(file=file if store == "PKCS12" else "store.p12")
    msg = (
        f"setting 'ssl.truststore.location' must be a file of PEM certificates; got a {store} "
        f"store, {file!r}; convert it: {first}{then}; then set 'ssl.truststore.location' to ca.pem "
        "and 'ssl.truststore.type' to 'PEM'"
    )
    raise ConfigError(msg)


def _keystore(settings: _Settings) -> None:
    kind = settings.pop("ssl.keystore.type", None)
    _rename(settings, "ssl.keystore.certificate.chain", "ssl.certificate.pem")
    _rename(settings, "ssl.keystore.key", "ssl.key.pem")
    file = settings.get("ssl.keystore.location")
    if file is None:
        settings.pop("ssl.keystore.password", None)
        return
    store = _kind_of(file, kind, "PKCS12")
    if store == "PEM":
        # One file holds the key and the chain; librdkafka takes from it what it looks for.
        del settings["ssl.keystore.location"]
        settings.pop("ssl.keystore.password", None)
        settings["ssl.key.location"] = settings["ssl.certificate.location"] = file
    elif store == "PKCS12":
        settings.pop("ssl.key.password", None)  # in this format it is the store's
    else:
        msg = (
            f"setting 'ssl.keystore.location' must be a PKCS12 or PEM file; got a JKS store, "
            f"{file!r}; convert it: {_TO_PKCS12.format(file=file)}; then set "
            "'ssl.keystore.location' to store.p12 and 'ssl.keystore.type' to 'PKCS12'"
        )
        raise ConfigError(msg)


def _kind_of(file: Any, given: Any, default: _Store) -> str:
    if given is not None:
        return str(given).upper()
    return next((kind for end, kind in _SUFFIXES.items() if str(file).endswith(end)), default)


def _host_name(settings: _Settings) -> None:
    key = "ssl.endpoint.identification.algorithm"
    if key in settings and not settings[key]:
        settings[key] = "none"
    if isinstance(ciphers := settings.get("ssl.cipher.suites"), str):
        settings["ssl.cipher.suites"] = ciphers.replace(",", ":")


def _jaas(settings: _Settings) -> None:
    line = settings.pop("sasl.jaas.config", None)
    if line is None:
        return
    module, options = _parse_jaas(str(line))
    names = _JAAS_OPTIONS.get(module)
    if names is None:
        msg = (
            "setting 'sasl.jaas.config' must name Kafka's PlainLoginModule, ScramLoginModule or "
            "OAuthBearerLoginModule, or Krb5LoginModule; other modules are Java code, which does "
            "not run here"
        )
        raise ConfigError(msg)
    for option, name in names.items():
        if option in options:
            settings.setdefault(name, options[option])
        elif names is _USER:
            msg = f"setting 'sasl.jaas.config' must hold {option}=\"...\" for {module}"
            raise ConfigError(msg)
    extensions = [
        f"{option.removeprefix('extension_')}={value}"
        for option, value in options.items()
        if option.startswith("extension_")
    ]
    if extensions:
        settings.setdefault("sasl.oauthbearer.extensions", ",".join(extensions))


def _parse_jaas(line: str) -> tuple[str, dict[str, str]]:
    """Return the simple name of the login module and its options."""
    match = re.fullmatch(
        r"\s*([\w.$]+)\s+(?:required|requisite|sufficient|optional)\b(.*?);?\s*", line, re.DOTALL
    )
    if match is None:
        msg = (
            "setting 'sasl.jaas.config' must look like: module required option=\"value\" ...; "
            "(the value is not shown here, it may hold a password)"
        )
        raise ConfigError(msg)
    pairs = re.findall(r'([\w.]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;"]+))', match[2])
    options = {name: re.sub(r"\\(.)", r"\1", quoted) or bare for name, quoted, bare in pairs}
    return match[1].rpartition(".")[2], options


def _oauth(settings: _Settings) -> None:
    for java, name in _OAUTH_NAMES.items():
        _rename(settings, java, name)
    handler = settings.pop("sasl.login.callback.handler.class", None)
    if handler is not None and not str(handler).endswith(_OIDC_HANDLER):
        msg = (
            f"setting 'sasl.login.callback.handler.class' must be Kafka's {_OIDC_HANDLER}: other "
            "handlers are Java code; give a Python function as 'oauth_cb', which returns the token "
            "and when it ends"
        )
        raise ConfigError(msg)
    retriever = settings.pop("sasl.oauthbearer.jwt.retriever.class", None)
    if retriever is not None:
        grant = _GRANTS.get(str(retriever).rpartition(".")[2])
        if grant is None:
            msg = (
                "setting 'sasl.oauthbearer.jwt.retriever.class' must be one of "
                f"{', '.join(_GRANTS)}: others are Java code; give a Python function as 'oauth_cb'"
            )
            raise ConfigError(msg)
        settings.setdefault("sasl.oauthbearer.grant.type", grant)
    if "sasl.oauthbearer.token.endpoint.url" in settings and "oauth_cb" not in settings:
        # In Java, too, a token endpoint means that tokens are fetched by OpenID Connect.
        settings.setdefault("sasl.oauthbearer.method", "oidc")


def _kerberos(settings: _Settings) -> None:
    command = settings.get("sasl.kerberos.kinit.cmd")
    if isinstance(command, str) and " " not in command:
        # Java names the program, librdkafka the whole command.
        settings["sasl.kerberos.kinit.cmd"] = (
            f'{command} -R -t "%{{sasl.kerberos.keytab}}" -k %{{sasl.kerberos.principal}}'
        )


def _rename(settings: _Settings, old: str, new: str) -> None:
    if old in settings:
        settings[new] = settings.pop(old)
