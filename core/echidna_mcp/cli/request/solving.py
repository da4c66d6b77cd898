"""Which solver a campaign is to have.

What is chosen for want of a wish is stored with the campaign: another machine that goes
on with it, or replays it, asks nobody what is installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.config.projects.loader import LoadedConfig
from echidna_mcp.errors import SolverUnavailableError, UsageError
from echidna_mcp.solving.solver import SolverPlugin
from echidna_mcp.wording import not_offered

DEFAULT: Final = "bitwuzla"


@dataclass(frozen=True, slots=True)
class ChosenSolver:
    """A solver for a campaign.

    Attributes:
        name: of the plugin; empty for none.
        left_open: whether nobody has asked for it, or for none.
        unhonoured: a sentence for each wish that has no effect.
    """

    name: str
    left_open: bool = False
    unhonoured: tuple[str, ...] = ()


def chosen_solver(
    loaded: LoadedConfig, solvers: Mapping[str, SolverPlugin]
) -> ChosenSolver:
    """Return what the configuration asks for, or the default if that is installed.

    Raises:
        UsageError: no enabled plugin offers it.
        SolverUnavailableError: it is not installed.
    """
    installed = [name for name, solver in solvers.items() if solver.is_installed]
    if "solver" in loaded.given:
        return ChosenSolver(_named(loaded.campaign.solver, solvers))
    if loaded.sym_exec:
        wanted = loaded.sym_exec_solver or DEFAULT
        if wanted in installed:
            return ChosenSolver(wanted)
        return ChosenSolver(_named(DEFAULT, solvers), unhonoured=(_other(wanted),))
    if loaded.sym_exec is not None:
        return ChosenSolver("")
    return ChosenSolver(DEFAULT if DEFAULT in installed else "", left_open=True)


def _other(wanted: str) -> str:
    return (
        f"`symExecSMTSolver` names {wanted}, which is no solver here; {DEFAULT} is "
        "taken."
    )


def _named(name: str, solvers: Mapping[str, SolverPlugin]) -> str:
    if not name:
        return ""
    if name not in solvers:
        raise UsageError(not_offered("--solver", name, [*solvers, "off"]))
    if not solvers[name].is_installed:
        raise SolverUnavailableError(name)
    return name


def has_use_for_solver(config: CampaignConfig) -> bool:
    """Whether sequences are varied, and it is known what they cover."""
    return config.coverage and not config.checks("stateless")
