"""Certificates for tests, made by openssl when they are needed: none is kept in the repository."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

_DAYS = "3"


@dataclass(frozen=True, slots=True)
class Identity:
    """A private key, its certificate, and both in one file as Java's PEM stores want them."""

    key: Path
    certificate: Path

    @property
    def store(self) -> Path:
        """The key and the certificate in one file."""
        return self.key.with_suffix(".pem")

    def pkcs12(self, password: str) -> Path:
        """Write both into an encrypted PKCS12 store; return its path."""
        path = self.key.with_suffix(".p12")
        files = ("-inkey", str(self.key), "-in", str(self.certificate), "-out", str(path))
        _openssl("pkcs12", "-export", *files, "-passout", f"pass:{password}")
        return path

    def encrypted_key(self, password: str) -> Path:
        """Write the key encrypted; return its path."""
        path = self.key.with_suffix(".encrypted")
        made = ("-topk8", "-in", str(self.key), "-out", str(path), "-v2", "aes-256-cbc")
        _openssl("pkcs8", *made, "-passout", f"pass:{password}")
        return path


class Authority:
    """A certificate authority in a folder of its own."""

    def __init__(self, home: Path, name: str) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("openssl is not installed here, and makes the certificates")
        self._home = home
        self._key, self.certificate = home / f"{name}.key", home / f"{name}.crt"
        out = ("-keyout", str(self._key), "-out", str(self.certificate), "-days", _DAYS)
        _openssl("req", "-x509", *_NEW_KEY, *out, "-subj", f"/CN={name}")

    def identity(self, name: str, alternative: str = "", *, expired: bool = False) -> Identity:
        """Make a key and sign its certificate; `alternative` is the host, such as IP:127.0.0.1."""
        key, certificate = self._home / f"{name}.key", self._home / f"{name}.crt"
        request = self._home / f"{name}.csr"
        subject = ("-subj", f"/O=Shop/CN={name}")
        _openssl("req", *_NEW_KEY, "-keyout", str(key), "-out", str(request), *subject)
        extensions = self._home / f"{name}.ext"
        extensions.write_text(f"subjectAltName={alternative}\n" if alternative else "")
        # Valid for no time at all: it ends when it begins. openssl before 3.4 knows no other way.
        days = "0" if expired else _DAYS
        signed = ("-CA", str(self.certificate), "-CAkey", str(self._key), "-CAcreateserial")
        files = ("-in", str(request), "-out", str(certificate), "-extfile", str(extensions))
        _openssl("x509", "-req", *files, *signed, "-days", days)
        made = Identity(key, certificate)
        made.store.write_text(key.read_text() + certificate.read_text())
        return made


_NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


def _openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)
