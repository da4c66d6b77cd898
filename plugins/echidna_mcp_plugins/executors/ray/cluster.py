"""The connection to Ray: to a cluster that is there, or to one made for a campaign."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, Final

from echidna_mcp.campaign.interrupts import signal_blocked
from echidna_mcp.errors import UsageError

ADDRESS_VARIABLE: Final = "RAY_ADDRESS"
"""Names the cluster, as everywhere in Ray; `--ray-address` sets it."""

_LOCAL: Final = frozenset({"", "local"})
_HOST_AND_PORT: Final = re.compile(r"(?:\[(?P<six>[^\]]+)\]|(?P<host>[^\s:/]+)):(\d+)")
_PROBE_SECONDS: Final = 5.0
_HEALTH_SECONDS: Final = 15.0
_STORE_BYTES: Final = 512 << 20
"""Memory for the objects of a local Ray; it moves older ones to disk by itself."""


def chosen_address() -> str | None:
    """Return the address of the cluster that is asked for; None for one of our own.

    Raises:
        UsageError: it is no address that a campaign can use.
    """
    address = os.environ.get(ADDRESS_VARIABLE, "").strip()
    if address in _LOCAL:
        return None
    if address != "auto" and not _HOST_AND_PORT.fullmatch(address):
        raise UsageError(
            f"{address!r} is no address of a Ray cluster; write it as HOST:PORT, or "
            "auto for the cluster that this machine belongs to."
        )
    return address


_SETTINGS: Final = MappingProxyType(
    {
        # How far workers step back is for `--nice` to say.
        "RAY_worker_niceness": "0",
        # Nobody is told of a campaign.
        "RAY_USAGE_STATS_ENABLED": "0",
        # Ray tells of actors that die on standard output, where our result belongs.
        "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
        # Else it warns that actors without one see no GPU.
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    }
)
"""Variables of Ray, unless they are set already. It reads some when it is imported."""


class Cluster:
    """Ray as this process uses it, from the first `connect` on."""

    def __init__(self, address: str | None) -> None:
        """Know a cluster; nothing is started or asked yet.

        Args:
            address: `HOST:PORT` or `auto`; None for one that begins and ends with us.
        """
        self.address = address
        self._ray: Any = None

    def connect(self, cpus: int) -> Any:
        """Return the module `ray`, connected.

        Args:
            cpus: how many actors a cluster of our own has room for.

        Raises:
            UsageError: there is no cluster at the address.
        """
        if self._ray is None:
            if self.address not in {None, "auto"}:
                self._probe()
            for name, value in _SETTINGS.items():
                os.environ.setdefault(name, value)
            import ray  # noqa: PLC0415 (an extra, and slow)

            # In this order: a SIGTERM that has come meanwhile finds all in place.
            with _deaf_children(), _signals_kept():
                self._init(ray, cpus)
                self._ray = ray
        return self._ray

    def _init(self, ray: Any, cpus: int) -> None:
        wanted: dict[str, Any] = {"address": self.address}
        if self.address is None:
            # None would mean the variable, or a cluster of somebody else.
            wanted = {
                "address": "local",
                "num_cpus": cpus,
                "include_dashboard": False,
                "object_store_memory": _STORE_BYTES,
            }
        quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
        try:
            ray.init(**wanted, **quiet)
        except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
            reason = str(error).strip().splitlines()[0].rstrip(".")
            if self.address is None:
                raise UsageError(f"Ray can't be started here: {reason}.") from error
            raise _unreachable(self.address, reason) from error

    def _probe(self) -> None:
        """Ask whether a cluster answers; Ray itself would wait for minutes.

        Raises:
            UsageError: none does.
        """
        assert self.address is not None
        match = _HOST_AND_PORT.fullmatch(self.address)
        assert match is not None
        host, port = match["six"] or match["host"], int(match[3])
        try:
            socket.create_connection((host, port), _PROBE_SECONDS).close()
        except (OSError, OverflowError) as error:
            raise _unreachable(self.address, "nothing listens there") from error
        check = ("-m", "ray.scripts.scripts", "health-check", "--address", self.address)
        try:
            healthy = subprocess.run(  # noqa: S603 - Ray's own command
                [sys.executable, "-P", *check],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=_HEALTH_SECONDS,
            )
        except subprocess.TimeoutExpired as error:
            raise _unreachable(self.address, "it does not answer") from error
        if healthy.returncode != 0:
            raise _unreachable(self.address, "what listens there is not this Ray")

    def cpus(self) -> int:
        """Return how many CPUs the cluster has now, all nodes together."""
        return int(self._ray.cluster_resources().get("CPU", 0))

    def free_cpus(self) -> int:
        """Return how many of them no actor or task holds."""
        return int(self._ray.available_resources().get("CPU", 0))

    def close(self) -> None:
        """End the connection, and the cluster if it is our own."""
        if self._ray is not None:
            ray, self._ray = self._ray, None
            if self.address is None:
                _end_at_once(ray)
            with _signals_kept():
                ray.shutdown()


def _unreachable(address: str, reason: str) -> UsageError:
    return UsageError(
        f"There is no Ray cluster at {address} ({reason}); start one with "
        "ray start --head, or leave --ray-address and RAY_ADDRESS out."
    )


@contextlib.contextmanager
def _signals_kept() -> Iterator[None]:
    """Keep what SIGTERM does: Ray takes it for itself."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        # Only the main thread may, and not what nobody has set from Python.
        with contextlib.suppress(ValueError, TypeError):
            signal.signal(signal.SIGTERM, before)


def _deaf_children() -> contextlib.AbstractContextManager[None]:
    """Let what is started here not hear SIGTERM, as Ray has it not hear ctrl-C.

    One for all of a group, as supervisors send it, would end Ray before the campaign,
    and a driver without Ray ends without a word. On Linux alone: there the kernel ends
    Ray's processes when ours is gone, elsewhere a SIGTERM does.
    """
    if sys.platform == "linux":
        return signal_blocked(signal.SIGTERM)
    return contextlib.nullcontext()


def _end_at_once(ray: Any) -> None:
    """Let Ray end the processes of its own cluster as it ends those that hang.

    They do not hear the SIGTERM that it tries first, and it would wait for a second
    each. Without these internals of Ray it does so.
    """
    node = getattr(ray._private.worker, "_global_node", None)  # noqa: SLF001
    end = getattr(node, "kill_all_processes", None)
    if node is not None and end is not None:
        node.kill_all_processes = lambda **how: end(**how | {"allow_graceful": False})
