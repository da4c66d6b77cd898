"""Records of installed plugins."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

Status: TypeAlias = Literal["loaded", "disabled", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginRecord:
    """An installed plugin and what became of it.

    Attributes:
        name: name of its entry point.
        distribution: the package that installed it.
        version: version of that package.
        hooks: hooks that it implements, sorted; empty unless it is loaded.
        status: `disabled` if it was not selected, and so not imported.
        error: why it failed, else None.
    """

    name: str
    distribution: str
    version: str
    hooks: tuple[str, ...] = ()
    status: Status = "disabled"
    error: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values, for `echidna-mcp plugins --json`."""
        return {**asdict(self), "hooks": list(self.hooks)}

    def identity(self) -> dict[str, str]:
        """Return what `CampaignStarted` keeps of it."""
        return {
            "name": self.name,
            "distribution": self.distribution,
            "version": self.version,
        }
