"""Tests of Foundry as single messages on our EVMs: what forge does, and no campaign.

Only unit tests, which take no arguments. The world is forge's: the same sender, test
contract, balances and block.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from echidna_mcp.abi.function import selector_of
from echidna_mcp.abi.revert import errors_of
from echidna_mcp.abi.types import type_name
from echidna_mcp.cheatcodes.errors import SKIP
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.evm.backend import (
    BackendConfig,
    BlockContext,
    CallResult,
    EvmBackend,
    Message,
    Watch,
)
from echidna_mcp.evm.cheat_settings import CheatSettings
from echidna_mcp.evm.outside import Outside
from echidna_mcp.outside.machine import Machine

SENDER = 0x1804C8AB1F12E6BBF3894D4083F33E07309D1F38
TEST = 0x7FA9385BE102AC3EAC297483DD6233D62B3E1496
FACTORY = 0x4E59B44847B379578588920CA78FBF26C0B4956C
FACTORY_CODE = bytes.fromhex(
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe036016000816020"
    "82378035828234f58015156039578182fd5b8082525050506014600cf3"
)
LIBRARIES = 0x11B0000
"""Where libraries lie, one after the other."""
RICH = (1 << 96) - 1
GAS = 1 << 40

OF_A_CAMPAIGN = "settings beside a test, and steps before it, are of a campaign"
GAPS: Mapping[str, Sequence[str]] = {
    "a chain id that a constructor sets holds": (
        "BlockOfSetUpTest.test_TheChainIdOfTheConstructorIsLost",
    ),
    "the clock has 64 bits": ("BlockTest.test_RollFar", "BlockTest.test_WarpFar"),
    "gas is always metered": ("StateTest.test_GasMeteringMayPause",),
    OF_A_CAMPAIGN: (
        "FuzzTest.test_InternalReverts",
        "InvariantsHaveNoStepsTest.test_Step",
        *("StepsBeforeTest.test_OneStep", "StepsBeforeTest.test_TwoSteps"),
        *("StepsBeforeTest.test_PranksLast", "StepsBeforeTest.test_TimeStays"),
        "StepsBeforeTest.test_Fails_StepReverts",
        "StepsBeforeTest.test_Fails_StepTells",
        "StepsBeforeTest.test_Fails_StepIsSkipped",
        "StepsBeforeTest.test_Fails_StepIsDiscarded",
        "StepsBeforeTest.test_Fails_StepOfNobody",
        "StepsBeforeTest.test_Fails_StepExpectsARevert",
    ),
}
"""Tests of which we say something else than forge, by what is the reason."""


@dataclass(frozen=True)
class Built:
    """A contract that forge has compiled."""

    source: str
    name: str
    artifact: Mapping[str, Any]

    def code(self, which: str, libraries: Mapping[str, int]) -> bytes | None:
        """Return creation code (`bytecode`) or runtime code; None if it can't be."""
        part = self.artifact[which]
        text = part["object"].removeprefix("0x")
        for source, names in part["linkReferences"].items():
            for name, places in names.items():
                if f"{source}:{name}" not in libraries:
                    return None
                address = f"{libraries[f'{source}:{name}']:040x}"
                for place in places:
                    at = 2 * place["start"]
                    text = text[:at] + address + text[at + 40 :]
        return bytes.fromhex(text)


class Suite:
    """A project that forge has compiled into `out`."""

    def __init__(self, project: Path) -> None:
        self.contracts = list(_built(project / "out"))
        self.libraries: dict[str, int] = {}
        self.deployed: list[tuple[int, bytes]] = []
        seen = CampaignConfig(allow_ffi=True, fs_permissions=(("read", "data"),))
        self._machine = Machine(project, seen)
        self._link()

    def _link(self) -> None:
        """Give each library a place, those first that need no other."""
        wanted = {
            f"{source}:{name}"
            for each in self.contracts
            for source, names in each.artifact["bytecode"]["linkReferences"].items()
            for name in names
        }
        while waiting := sorted(wanted - self.libraries.keys()):
            for full in waiting:
                (built,) = (c for c in self.contracts if f"{c.source}:{c.name}" == full)
                code = built.code("bytecode", self.libraries)
                if code is not None:
                    self.libraries[full] = LIBRARIES + len(self.libraries)
                    self.deployed.append((self.libraries[full], code))

    @cache  # noqa: B019 - there is one suite
    def settings(self, *, internal: bool) -> CheatSettings:
        """Return what the cheatcodes of the project know."""
        errors = {
            error.selector: (error.selector, error.name, type_name(error.inputs))
            for each in self.contracts
            for error in errors_of(each.artifact["abi"])
        }
        return CheatSettings(
            artifacts=tuple(
                (
                    f"{each.source}:{each.name}",
                    each.code("bytecode", self.libraries) or b"",
                    each.code("deployedBytecode", self.libraries) or b"",
                )
                for each in self.contracts
            ),
            errors=tuple(errors[selector] for selector in sorted(errors)),
            internal_expect_revert=internal,
            allow_ffi=True,
        )

    def contract(self, name: str) -> Built:
        """Return the contract of tests that has a name."""
        (found,) = (
            each
            for each in self.contracts
            if each.name == name and each.source.startswith("test/")
        )
        return found

    def ready(self, name: str, create: Callable[[BackendConfig], EvmBackend]) -> World:
        """Deploy a contract of tests, and set it up."""
        built = self.contract(name)
        evm = create(
            BackendConfig(
                block=BlockContext(
                    timestamp=1,
                    number=1,
                    gas_limit=1 << 30,
                    prev_randao=0,
                    chain_id=31337,
                    blob_base_fee=1,
                ),
                fork="cancun",
                cheats=self.settings(internal=False),
                outside=Outside(source=self._machine),
            )
        )
        for address in (SENDER, TEST):
            evm.set_account(address, balance=RICH)
        evm.set_account(SENDER, nonce=2)
        evm.set_account(FACTORY, nonce=1, code=FACTORY_CODE)
        for address, code in self.deployed:
            _send(evm, None, code, address)
        creation = built.code("bytecode", self.libraries)
        assert creation is not None, f"{name} is linked"
        result = _send(evm, None, creation, TEST)
        if result.status.succeeded and "setUp()" in built.artifact["methodIdentifiers"]:
            result = _send(evm, TEST, selector_of("setUp()"))
        return World(evm, evm.snapshot(), result)


@dataclass(frozen=True)
class World:
    """A contract of tests that is set up.

    Attributes:
        evm: where it is.
        start: the state from which each test begins.
        prepared: how the deployment ended, or `setUp()`.
    """

    evm: EvmBackend
    start: int
    prepared: CallResult

    def run(self, test: str) -> CallResult:
        """Run a test; what was prepared decides if that has failed."""
        if not self.prepared.status.succeeded:
            return self.prepared
        self.evm.restore(self.start)
        return _send(self.evm, TEST, selector_of(f"{test}()"))


def verdict(result: CallResult) -> str:
    """Return what forge would say."""
    if result.output.startswith(SKIP) and not result.status.succeeded:
        return "skip"
    if result.failed_assertion or not result.status.succeeded:
        return "fail"
    return "pass"


def _send(
    evm: EvmBackend, to: int | None, data: bytes, address: int | None = None
) -> CallResult:
    message = Message(sender=SENDER, to=to, data=data, gas=GAS)
    if to is None:
        return evm.deploy(message, address=address)
    return evm.call(message, Watch(storage=True, creations=True))


def _built(out: Path) -> Iterator[Built]:
    for path in sorted(out.glob("*.sol/*.json")):
        artifact = json.loads(path.read_text("utf-8"))
        ((source, name),) = artifact["metadata"]["settings"][
            "compilationTarget"
        ].items()
        yield Built(source, name, artifact)
