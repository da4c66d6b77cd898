"""Medusa: what its `medusa.json` asks for, as settings of our keys.

Source: Medusa, `fuzzing/config`, `chain/config`, and `fuzzing/fuzzer.go` for what is
deployed where. Its environment: block 1 at time 1, each deployer and sender owns
2^254-1 wei, contracts lie where CREATE of the deployer puts them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from echidna_mcp.config.campaign import USUAL_KINDS
from echidna_mcp.config.document import number_of
from echidna_mcp.config.projects.kind import Kind, Reading
from echidna_mcp.config.projects.nested import Nested
from echidna_mcp.config.projects.structured import read_json
from echidna_mcp.config.readers import (
    WrongValue,
    address,
    boolean,
    plain_address,
    shown,
    texts,
)
from echidna_mcp.evm.created import created_address
from echidna_mcp.wording import closest

_DEPLOYER: Final = 0x30000
_CODE_SIZE: Final = 24576  # EIP-170

SECTIONS: Final = ("fuzzing", "compilation", "slither", "logging")
_TESTING: Final = "fuzzing.testing"
_CHAIN: Final = "fuzzing.chainConfig"
_PLATFORM: Final = "compilation.platformConfig"
_CONTAINERS: Final = (
    *SECTIONS,
    _TESTING,
    f"{_TESTING}.assertionTesting",
    f"{_TESTING}.assertionTesting.panicCodeConfig",
    f"{_TESTING}.propertyTesting",
    f"{_TESTING}.optimizationTesting",
    _CHAIN,
    f"{_CHAIN}.cheatCodes",
    f"{_CHAIN}.forkConfig",
    _PLATFORM,
)


def _same(value: Any) -> Any:
    return value


def _some(value: Any) -> Any:
    """Return a value; None for 0 and no text, by which Medusa means none."""
    return None if value in (0, "") and not isinstance(value, bool) else value


def _not(value: Any) -> Any:
    return not value if isinstance(value, bool) else value


_MAPPED: Final[Mapping[str, tuple[str, Callable[[Any], Any]]]] = {
    "fuzzing.workers": ("workers", _same),
    "fuzzing.timeout": ("timeout", _some),
    "fuzzing.testLimit": ("testLimit", _some),
    "fuzzing.shrinkLimit": ("shrinkLimit", _same),
    "fuzzing.callSequenceLength": ("seqLen", _same),
    "fuzzing.corpusDirectory": ("corpusDir", _some),
    "fuzzing.coverageEnabled": ("coverage", _same),
    "fuzzing.coverageFormats": ("coverageFormats", _same),
    "fuzzing.coverageExclusions": ("coverageExcludes", _same),
    "fuzzing.constructorArgs": ("constructorArgs", _same),
    "fuzzing.blockNumberDelayMax": ("maxBlockDelay", _same),
    "fuzzing.blockTimestampDelayMax": ("maxTimeDelay", _same),
    "fuzzing.blockGasLimit": ("blockGasLimit", _same),
    f"{_CHAIN}.cheatCodes.cheatCodesEnabled": ("cheatcodes", _same),
    f"{_TESTING}.stopOnFailedTest": ("stopOnFail", _same),
    f"{_TESTING}.testViewMethods": ("excludeViewPure", _not),
    f"{_PLATFORM}.target": ("target", _some),
    f"{_PLATFORM}.args": ("cryticArgs", _same),
}
"""What is a setting of ours by itself: the key, and its value from Medusa's."""

_ASKED_FOR: Final[Mapping[str, str]] = {
    f"{_TESTING}.testAllContracts": "testAllContracts",
    f"{_CHAIN}.cheatCodes.enableFFI": "allowFFI",
}
"""What is a setting of ours if it is true."""

_PANICS: Final[Mapping[str, int]] = {
    f"{_TESTING}.assertionTesting.panicCodeConfig.failOn{name}": code
    for name, code in (
        ("CompilerInsertedPanic", 0x00),
        ("Assertion", 0x01),
        ("ArithmeticUnderflow", 0x11),
        ("DivideByZero", 0x12),
        ("EnumTypeConversionOutOfBounds", 0x21),
        ("IncorrectStorageAccess", 0x22),
        ("PopEmptyArray", 0x31),
        ("OutOfBoundsArrayAccess", 0x32),
        ("AllocateTooMuchMemory", 0x41),
        ("CallUninitializedVariable", 0x51),
    )
}
"""What panics fail an assertion test, and their codes; only that of `assert` does if
nothing is said."""
_ASSERT: Final = 0x01

_REFUSED: Final[Mapping[str, Any]] = {
    f"{_TESTING}.stopOnFailedContractMatching": False,
    f"{_CHAIN}.skipAccountChecks": True,
    f"{_CHAIN}.contractAddressOverrides": {},
    f"{_CHAIN}.genesisStateFile": "",
    f"{_CHAIN}.genesisContractMappings": {},
    f"{_CHAIN}.forkConfig.forkModeEnabled": False,
    f"{_PLATFORM}.solcVersion": "",
}
"""What changes what is tested and does not work, with what asks for nothing."""

_IDLE: Final[Mapping[str, Any]] = {
    f"{_TESTING}.verbosity": 1,
}
"""What only changes what Medusa tells, with its defaults."""

_NEEDLESS: Final = (
    "fuzzing.workerResetLimit",
    "fuzzing.revertReporterEnabled",
    "fuzzing.pruneFrequency",
    f"{_TESTING}.stopOnNoTests",
    f"{_CHAIN}.forkConfig.rpcUrl",
    f"{_CHAIN}.forkConfig.rpcBlock",
    f"{_CHAIN}.forkConfig.poolSize",
    f"{_PLATFORM}.exportDirectory",
)
"""What has nothing to change here, whatever its value is."""

OBSOLETE: Final = (
    "fuzzing.deploymentOrder",
    "fuzzing.reversionReporterEnabled",
    f"{_TESTING}.traceAll",
    f"{_TESTING}.assertionTesting.testViewMethods",
    f"{_TESTING}.assertionTesting.assertionModes",
)
"""What Medusa itself has dropped."""

_JOINT: Final = (
    "fuzzing.targetContracts",
    "fuzzing.predeployedContracts",
    "fuzzing.targetContractsBalances",
    "fuzzing.deployerAddress",
    "fuzzing.senderAddresses",
    "fuzzing.transactionGasLimit",
    f"{_TESTING}.targetFunctionSignatures",
    f"{_TESTING}.excludeFunctionSignatures",
    f"{_TESTING}.assertionTesting.enabled",
    f"{_TESTING}.propertyTesting.enabled",
    f"{_TESTING}.propertyTesting.testPrefixes",
    f"{_TESTING}.optimizationTesting.enabled",
    f"{_TESTING}.optimizationTesting.testPrefixes",
    f"{_CHAIN}.codeSizeCheckDisabled",
    "compilation.platform",
)
"""What several settings come from, or one of several together."""

KNOWN: Final = (
    *_MAPPED,
    *_ASKED_FOR,
    *_PANICS,
    *_REFUSED,
    *_IDLE,
    *_NEEDLESS,
    *OBSOLETE,
    *_JOINT,
)


def read_medusa(source: str, path: Path) -> Reading:
    """Read a `medusa.json`.

    Raises:
        ConfigError: it is no JSON object.
    """
    nested = Nested.of(read_json(source, path), path, _CONTAINERS)
    _set_mapped(nested)
    _set_accounts(nested)
    _set_deployments(nested)
    _set_tests(nested)
    _set_filter(nested)
    _set_chain(nested)
    _refuse_the_rest(nested)
    return nested.reading()


def _set_mapped(nested: Nested) -> None:
    for name, (key, convert) in _MAPPED.items():
        if name in nested.values:
            nested.set(key, convert(nested.values.pop(name)), name)
    for name, key in _ASKED_FOR.items():
        if nested.take(name, boolean, default=False):
            nested.set(key, True, name)


def _set_accounts(nested: Nested) -> None:
    """Set who calls: properties are asked by the first sender, with a call's gas."""
    name = "fuzzing.senderAddresses"
    if name in nested.values:
        senders = nested.values.pop(name)
        nested.set("sender", senders, name)
        if isinstance(senders, list) and senders:
            nested.set("psender", senders[0], name)
    name = "fuzzing.transactionGasLimit"
    if name in nested.values:
        gas = nested.values.pop(name)
        nested.set("testMaxGas", gas, name)
        nested.set("propMaxGas", gas, name)


def _places(value: Any) -> dict[str, int]:
    """Read addresses by name of the contract."""
    if not isinstance(value, dict):
        raise WrongValue('addresses by contract, as {"Token": "0x1234"}')
    found = {}
    for name, at in value.items():
        try:
            found[name] = plain_address(at)
        except WrongValue as wrong:
            raise WrongValue(
                f"addresses by contract; that of {name} is to be {wrong}"
            ) from None
    return found


def _amounts(value: Any) -> list[Any]:
    """Read a list of numbers, or texts of numbers; no text is 0."""
    if not isinstance(value, list):
        raise WrongValue('a list of amounts of wei, as ["1e18"]')
    return [
        number_of(wei.lower() or "0") if isinstance(wei, str) else wei for wei in value
    ]


def _set_deployments(nested: Nested) -> None:
    """Set what is deployed where: `predeployedContracts`, then `targetContracts`.

    The last target is the contract that is fuzzed, so the order stays as it is. What
    has no address gets that of CREATE, each deployment a nonce.
    """
    deployer = nested.take("fuzzing.deployerAddress", address, _DEPLOYER)
    # What is as by default is in the preset, which may be another tool's.
    placed = nested.take("fuzzing.predeployedContracts", _places, {})
    targets = nested.take("fuzzing.targetContracts", texts, ())
    amounts = nested.take("fuzzing.targetContractsBalances", _amounts, [])
    addresses = [
        placed.get(name, created_address(deployer, nonce))
        for nonce, name in enumerate(targets or ("",), len(placed))
    ]
    before = [(at, name) for name, at in placed.items() if name not in targets]
    before += zip(addresses[:-1], targets[:-1], strict=True)
    name = "fuzzing.targetContracts"
    if deployer != _DEPLOYER:
        nested.set("deployer", f"0x{deployer:x}", "fuzzing.deployerAddress")
    if addresses[-1] != created_address(_DEPLOYER, 0):
        nested.set("contractAddr", f"0x{addresses[-1]:x}", name)
    if targets:
        nested.set("contract", targets[-1], name)
    if len(targets) > 1:
        nested.set("targetContracts", list(targets), name)
    if before:
        listed = [[f"0x{at:x}", contract] for at, contract in before]
        nested.set("deployContracts", listed, "fuzzing.predeployedContracts")
    _set_balances(nested, addresses, amounts)


def _set_balances(nested: Nested, addresses: list[int], amounts: list[Any]) -> None:
    name = "fuzzing.targetContractsBalances"
    if len(amounts) > len(addresses):
        nested.remark("wrong", name, "has more amounts than there are targetContracts")
        return
    pairs = dict(zip(addresses, amounts, strict=False))
    if addresses[-1] in pairs:
        nested.set("balanceContract", pairs.pop(addresses[-1]), name)
    if pairs:
        nested.set("balances", {f"0x{at:x}": wei for at, wei in pairs.items()}, name)


def _set_tests(nested: Nested) -> None:
    """Set what is checked, and by which prefixes of names."""
    enabled: dict[str, bool] = {
        kind: nested.take(f"{_TESTING}.{kind}Testing.enabled", boolean, default=True)
        for kind in USUAL_KINDS
    }
    checked = [kind for kind, is_on in enabled.items() if is_on]
    nested.set("testMode", ",".join(checked) or "exploration", _TESTING)
    for kind, key, default in (
        ("property", "prefix", "property_"),
        ("optimization", "optimizationPrefix", "optimize_"),
    ):
        prefixes = _prefixes(nested, kind, default, needed=enabled[kind])
        nested.set(key, prefixes, f"{_TESTING}.{kind}Testing.testPrefixes")
    nested.set("panicCodes", _panic_codes(nested), f"{_TESTING}.assertionTesting")


def _panic_codes(nested: Nested) -> list[int]:
    """Return the codes of the panics that fail an assertion test."""
    return [
        code
        for name, code in _PANICS.items()
        if nested.take(name, boolean, default=code == _ASSERT)
    ]


def _prefixes(nested: Nested, kind: str, default: str, *, needed: bool) -> str:
    name = f"{_TESTING}.{kind}Testing.testPrefixes"
    prefixes = nested.take(name, texts, (default,))
    if needed and not prefixes:
        nested.remark("wrong", name, "is empty; name a prefix")
    return ",".join(prefixes or (default,))


def _set_filter(nested: Nested) -> None:
    found = []
    for name, blacklist in (
        (f"{_TESTING}.targetFunctionSignatures", False),
        (f"{_TESTING}.excludeFunctionSignatures", True),
    ):
        if functions := nested.take(name, texts, ()):
            found.append(name)
            nested.set("filterFunctions", list(functions), name)
            nested.set("filterBlacklist", blacklist, name)
    if len(found) > 1:
        nested.remark("wrong", found[0], f"and {found[1]} exclude each other")


def _set_chain(nested: Nested) -> None:
    name = f"{_CHAIN}.codeSizeCheckDisabled"
    if not nested.take(name, boolean, default=True):
        nested.set("codeSize", _CODE_SIZE, name)
    name = "compilation.platform"
    platform = nested.values.pop(name, "crytic-compile")
    if platform not in ("crytic-compile", "solc"):
        nested.remark(
            "unsupported", name, f"is {shown(platform)}, which is not supported"
        )


def _refuse_the_rest(nested: Nested) -> None:
    """Remark on what does not work, or what nobody knows."""
    for name, value in nested.values.items():
        if name in _REFUSED:
            if value != _REFUSED[name] and value not in ("", [], {}):
                nested.remark(
                    "unsupported",
                    name,
                    f"is {shown(value)}, which is not supported yet",
                )
        elif name in _IDLE:
            if value not in (_IDLE[name], []):
                nested.remark("idle", name, "is not supported yet and does nothing")
        elif name in OBSOLETE:
            nested.remark("idle", name, "was dropped by Medusa; it does nothing")
        elif name not in _NEEDLESS and not name.startswith(("slither.", "logging.")):
            near = closest(name, KNOWN, 1, cutoff=0.8)
            hint = f"; it may be meant for `{near[0]}`" if near else ""
            nested.remark("unsupported", name, f"is no key of Medusa{hint}")


MEDUSA: Final = Kind(
    name="medusa",
    title="Medusa",
    files=("medusa.json",),
    preset={
        "cheatDialect": "medusa",
        "testMode": ",".join(USUAL_KINDS),
        "prefix": "property_",
        "testLimit": None,
        "stopOnFail": True,
        "contractAddr": f"0x{created_address(_DEPLOYER, 0):040x}",
        "balanceAddr": (1 << 254) - 1,
        "blockNumber": 1,
        "blockTimestamp": 1,
        "blockGasLimit": 125_000_000,
        "prevRandao": 0,
    },
    read=read_medusa,
)
