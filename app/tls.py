"""The certificate that the server shows: checked before anything starts, trusted by our own commands."""

import ssl
from pathlib import Path
from typing import NamedTuple

from engine.model.errors import SourceError


class Certificate(NamedTuple):
    """A chain and its key, as PEM files."""

    chain: Path
    key: Path


def read_certificate(chain: str | None, key: str | None) -> Certificate | None:
    """Return what two settings name, None where both are empty, or raise what is wrong with them."""
    if not chain and not key:
        return None
    if not chain or not key:
        missing, found = ("SMARTCIS_TLS_CERT", key) if not chain else ("SMARTCIS_TLS_KEY", chain)
        message = f"{missing} is not set, and {found} alone serves nothing; set both, or neither"
        raise SourceError(message)
    found_pair = Certificate(Path(chain).resolve(), Path(key).resolve())
    _check(found_pair)
    return found_pair


def _check(certificate: Certificate) -> None:
    for name, path in (("SMARTCIS_TLS_CERT", certificate.chain), ("SMARTCIS_TLS_KEY", certificate.key)):
        if not path.is_file():
            message = f"{name}={path} is no file; expected one in PEM form"
            raise SourceError(message)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(
            certificate.chain, certificate.key, password=""
        )
    except (ssl.SSLError, OSError) as error:
        message = (
            f"SMARTCIS_TLS_CERT={certificate.chain} and SMARTCIS_TLS_KEY={certificate.key} cannot be used: "
            f"{getattr(error, 'reason', None) or error}; "
            "expected a certificate and its key, without a password"
        )
        raise SourceError(message) from None


def trusting(certificate: Certificate) -> ssl.SSLContext:
    """Return what trusts exactly this certificate, under whatever name the server is asked."""
    context = ssl.create_default_context(cafile=str(certificate.chain))
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.check_hostname = False
    return context
