"""Where the HTTP server listens, and by which names it may be addressed."""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from echidna_mcp.errors import UsageError

_LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:/@\\\s]+)(?::\d{1,5})?")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach a server bound to `host`."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def bracketed(host: str) -> str:
    """Return the host as it stands in a URL: IPv6 addresses in brackets."""
    return f"[{host}]" if ":" in host else host


@dataclass(frozen=True, slots=True)
class Hosts:
    """The names by which a client may address this server.

    Guards against DNS rebinding: a foreign web page can make its own name resolve to
    our address, but it can't make the browser send another name than its own.

    Attributes:
        names: lower case, IPv6 addresses in brackets, without port.
        literals: whether every IP address is accepted; an address can't be rebound.
        allowed: those of `names` that were allowed by name, and whose pages therefore
            are as good as our own, whatever their port.
    """

    names: frozenset[str]
    literals: bool = False
    allowed: frozenset[str] = frozenset()

    @classmethod
    def of(cls, bind_host: str, extra: Sequence[str] = ()) -> Hosts:
        """Return the names of a server bound to `bind_host`, plus `extra` ones."""
        allowed = frozenset(bracketed(host.strip("[]").lower()) for host in extra)
        own = bracketed(bind_host.strip("[]").lower())
        return cls(
            _LOOPBACK_NAMES | allowed | {own},
            literals=not is_loopback(bind_host),
            allowed=allowed,
        )

    def allow_host(self, header: str) -> bool:
        """Judge a Host header (RFC 9110 §7.2): `name` or `name:port`."""
        match = _AUTHORITY.fullmatch(header.lower())
        if match is None:
            return False
        name = match[1]
        return name in self.names or (self.literals and _is_address(name))

    def allow_origin(self, header: str, host: str, *, trusted: bool = False) -> bool:
        """Judge an Origin header; `null` is foreign.

        A page of another port of this machine is another program's, and foreign.

        Args:
            header: where the page comes from that sends the request.
            host: the Host header of the request, which is allowed.
            trusted: whether the request carries the token: then a page from any of our
                names will do.
        """
        scheme, separator, authority = header.lower().partition("://")
        match = _AUTHORITY.fullmatch(authority)
        if not separator or scheme not in _DEFAULT_PORTS or match is None:
            return False
        if trusted:
            return self.allow_host(authority)
        default = _DEFAULT_PORTS[scheme]
        same = authority.removesuffix(default) == host.lower().removesuffix(default)
        return same or match[1] in self.allowed


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def listen(host: str, port: int, unread_seconds: float = 20.0) -> socket.socket:
    """Open a listening TCP socket.

    Args:
        host: an address of this machine or a name of it.
        port: 1 to 65535, or 0 for any free port.
        unread_seconds: a client that takes nothing of what was sent for so long is cut
            off, where the system can do that.

    Raises:
        UsageError: the port is taken or not allowed, or the host is not ours.
    """
    if not 0 <= port <= 65535:
        raise UsageError(f"Port {port} does not exist; choose one from 0 to 65535.")
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # Names with several addresses (localhost) are served on IPv4: what clients
        # try first differs, but all of them fall back to it.
        family, _, _, _, address = min(infos, key=lambda info: info[0])
        server = socket.create_server(address[:2], family=family, backlog=128)
    except OSError as error:
        raise UsageError(_explain(error, host, port)) from error
    # asyncio turns Nagle's algorithm off only where the protocol is named; with it, an
    # answer waits 40 ms for the client's delayed acknowledgement.
    named = (family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found = socket.socket(*named, fileno=server.detach())
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Connections inherit it (tcp(7), Linux).
        limit = round(unread_seconds * 1000)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, limit)
    return found


def _explain(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {host} is already in use; choose another one with --port, "
            "or --port 0 for any free port."
        )
    if error.errno == errno.EACCES:
        return (
            f"Port {port} on {host} needs privileges that this user does not have; "
            "choose a port above 1023, or --port 0 for any free port."
        )
    return f"Can't listen on {host} port {port}: {host} is not an address of ours."
