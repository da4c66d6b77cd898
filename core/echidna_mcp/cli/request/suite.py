"""The campaigns of Foundry's tests, as command line and project ask for them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.config.projects.foundry import FOUNDRY, profile_name, profiles_of
from echidna_mcp.errors import UsageError
from echidna_mcp.program.inline_config import ONE_PROFILE, Profiles
from echidna_mcp.program.suite import ALL, Selection, Wanted, no_tests, suite_of
from echidna_mcp.program.target import rules_wanted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from echidna_mcp.cli.request.campaign import Settings, Wish
    from echidna_mcp.config.projects.choice import Choice
    from echidna_mcp.config.projects.loader import LoadedConfig
    from echidna_mcp.program.model import Program

_ENDLESS_RUNS: Final = 1 << 62
_SELECTING: Final = (
    *("match_test", "no_match_test", "match_contract", "no_match_contract"),
    *("match_path", "no_match_path"),
)
"""Parameters that choose among Foundry's tests."""


def suite_wishes(
    settings: Settings, alone: Wish, others: Sequence[Program], *, unlimited: bool
) -> list[Wish]:
    """Return the campaigns of all tests that are wanted; none if there are no tests.

    Args:
        settings: what is asked for.
        alone: the program that has the first test, as one campaign.
        others: what other compilers have made of the project. A test that several of
            them have is run once.
        unlimited: without a test limit they run until they are stopped.

    Raises:
        TargetError, ConfigError: a comment is wrong; or tests are asked for, and there
            are none.
    """
    loaded, config = settings.loaded, alone.config
    if unlimited and "fuzzRuns" not in loaded.given:
        config = replace(config, fuzz_runs=_ENDLESS_RUNS)
    wanted = Wanted(
        config=config,
        given=loaded.given,
        profiles=_profiles(settings.choice),
        selection=_selection(loaded),
        invariant_timeout=loaded.invariant_timeout,
        fuzz_timeout=loaded.fuzz_timeout,
        ignore_unsupported=settings.parameters["ignore_unsupported"],
    )
    wishes: list[Wish] = []
    for program in (alone.program, *others):
        # The rules for the first one have been chosen.
        if program is not alone.program and "evmVersion" not in loaded.given:
            own = replace(config, evm_version=rules_wanted(program))
            wanted = replace(wanted, config=own)
        known = {wish.program.main for wish in wishes}
        wishes += [
            replace(
                alone,
                program=each.program,
                config=each.config,
                timeout=each.timeout,
                unhonoured=each.unhonoured,
            )
            for each in suite_of(
                program, wanted, (program.main,) if loaded.contract else ()
            )
            if each.program.main not in known
        ]
    if not wishes and ("testMode" in loaded.given or wanted.selection != ALL):
        raise no_tests(wanted.selection, alone.program)
    return wishes


def refuse_selection(parameters: Mapping[str, Any]) -> None:
    """Make sure that nobody has chosen among Foundry's tests where none of these run.

    Args:
        parameters: of the command line. What `foundry.toml` selects is for forge.

    Raises:
        UsageError: somebody has.
    """
    for name in _SELECTING:
        if parameters[name] is not None:
            raise UsageError(
                f"--{name.replace('_', '-')} chooses among Foundry's tests, and this "
                "campaign runs none; leave it out, or add --test-mode foundry."
            )


def _profiles(choice: Choice) -> Profiles:
    """Return the profile of Foundry that holds, and all that there are."""
    if choice.format is not FOUNDRY.read or choice.file is None:
        return ONE_PROFILE
    return Profiles(name=profile_name(), known=profiles_of(choice.source, choice.file))


def _selection(loaded: LoadedConfig) -> Selection:
    return Selection(
        test=loaded.match_test,
        no_test=loaded.no_match_test,
        contract=loaded.match_contract,
        no_contract=loaded.no_match_contract,
        path=loaded.match_path,
        no_path=loaded.no_match_path,
    )
