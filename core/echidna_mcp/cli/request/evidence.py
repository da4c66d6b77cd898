"""What is to be sealed and certified, from the options of a command.

Commands that run campaigns import this at their start, so it imports nothing that only
sealing needs.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

from echidna_mcp.errors import UsageError

DEFAULT_NETWORK: Final = "testnet"
CERTIFYING_PLUGINS: Final = "circular"


@dataclass(frozen=True, slots=True, kw_only=True)
class SealWishes:
    """What is to be sealed, and whether it is certified.

    Attributes:
        findings: falsified tests, each sealed by itself; none for the whole campaign.
        all_findings: all of them.
        network: where to certify; None for not at all.
        plugins: selection that offers the tools for it.
        data_dir: what those tools were told to keep their data in, if they were.
    """

    findings: Sequence[str] = ()
    all_findings: bool = False
    network: str | None = None
    plugins: str = CERTIFYING_PLUGINS
    data_dir: Path | None = None

    @classmethod
    def of(cls, *, certify: bool, network: str, data_dir: Path | None) -> Self:
        """Return the wish for the whole campaign, from options of a command."""
        return cls(network=network if certify else None, data_dir=data_dir)

    @property
    def directories(self) -> Mapping[str, Path]:
        """Directories that the tools are told of, by name."""
        return {} if self.data_dir is None else {"data": self.data_dir}

    def command(self, directory: Path, test: str | None = None) -> str:
        """Return the command that does the same again, as a shell takes it.

        Args:
            directory: of the campaign.
            test: only this falsified test.
        """
        words = ["echidna-mcp", "seal", str(directory)]
        findings = self.findings if test is None else (test,)
        if test is None and self.all_findings:
            words.append("--findings")
        for each in findings:
            words += ["--finding", each]
        if self.network is not None:
            words.append("--certify")
            if self.network != DEFAULT_NETWORK:
                words += ["--network", self.network]
            if self.data_dir is not None:
                words += ["--data-dir", str(self.data_dir)]
            if self.plugins != CERTIFYING_PLUGINS:
                words += ["--plugins", self.plugins]
        return shlex.join(words)


def wishes_at_the_end(parameters: dict[str, Any]) -> SealWishes | None:
    """Take the options of evidence out of those of a command that runs a campaign.

    Returns:
        What to seal when the campaign has ended; None for nothing.

    Raises:
        UsageError: something is to be certified, and nothing sealed.
    """
    sealed = parameters.pop("sealed")
    certify = parameters.pop("certify")
    wishes = SealWishes.of(
        certify=certify,
        network=parameters.pop("network"),
        data_dir=parameters.pop("data_dir"),
    )
    if sealed is None and certify:
        raise UsageError(
            "--certify is for what is sealed; add --seal campaign or --seal findings."
        )
    if sealed is None:
        return None
    return replace(wishes, all_findings=sealed == "findings")
