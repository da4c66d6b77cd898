"""`medusa.json`: every key is a setting of ours, or is refused, or is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.config.projects import medusa
from echidna_mcp.config.projects.loader import LoadedConfig, load_config
from echidna_mcp.errors import ConfigError
from echidna_mcp.evm.created import created_address

NUMBER_OF_WORKERS = "a whole number from 0 to 4096, small, medium or large"

TESTER = 0x7FA9385BE102AC3EAC297483DD6233D62B3E1496

DEFAULTS: dict[str, Any] = {
    "fuzzing": {
        "workers": 10,
        "workerResetLimit": 50,
        "timeout": 0,
        "testLimit": 0,
        "shrinkLimit": 5000,
        "callSequenceLength": 100,
        "pruneFrequency": 5,
        "corpusDirectory": "",
        "coverageEnabled": True,
        "coverageFormats": ["html", "lcov"],
        "coverageExclusions": [],
        "revertReporterEnabled": False,
        "targetContracts": [],
        "predeployedContracts": {},
        "targetContractsBalances": [],
        "constructorArgs": {},
        "deployerAddress": "0x30000",
        "senderAddresses": ["0x10000", "0x20000", "0x30000"],
        "blockNumberDelayMax": 60480,
        "blockTimestampDelayMax": 604800,
        "transactionGasLimit": 12500000,
        "testing": {
            "stopOnFailedTest": True,
            "stopOnFailedContractMatching": False,
            "stopOnNoTests": True,
            "testAllContracts": False,
            "testViewMethods": True,
            "verbosity": 1,
            "targetFunctionSignatures": [],
            "excludeFunctionSignatures": [],
            "assertionTesting": {
                "enabled": True,
                "panicCodeConfig": {
                    "failOnCompilerInsertedPanic": False,
                    "failOnAssertion": True,
                    "failOnArithmeticUnderflow": False,
                    "failOnDivideByZero": False,
                    "failOnEnumTypeConversionOutOfBounds": False,
                    "failOnIncorrectStorageAccess": False,
                    "failOnPopEmptyArray": False,
                    "failOnOutOfBoundsArrayAccess": False,
                    "failOnAllocateTooMuchMemory": False,
                    "failOnCallUninitializedVariable": False,
                },
            },
            "propertyTesting": {"enabled": True, "testPrefixes": ["property_"]},
            "optimizationTesting": {"enabled": True, "testPrefixes": ["optimize_"]},
        },
        "chainConfig": {
            "codeSizeCheckDisabled": True,
            "cheatCodes": {"cheatCodesEnabled": True, "enableFFI": False},
            "skipAccountChecks": True,
            "contractAddressOverrides": {},
            "genesisStateFile": "",
            "genesisContractMappings": {},
            "forkConfig": {
                "forkModeEnabled": False,
                "rpcUrl": "",
                "rpcBlock": 1,
                "poolSize": 20,
            },
        },
    },
    "compilation": {
        "platform": "crytic-compile",
        "platformConfig": {
            "target": ".",
            "solcVersion": "",
            "exportDirectory": "",
            "args": [],
        },
    },
    "slither": {
        "useSlither": True,
        "cachePath": "slither_results.json",
        "args": [],
        "overwriteCache": False,
    },
    "logging": {"level": "info", "logDirectory": "", "noColor": False},
}
"""What `medusa init` writes."""

BEST = "fuzzing.testing.optimizationTesting"
PANIC = "fuzzing.testing.assertionTesting.panicCodeConfig"
PANIC_CODES = (
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
"""Solidity's panics, ascending."""


class Loader:
    """Loads objects as a `medusa.json`."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "medusa.json"

    def __call__(
        self, data: Any, *, ignore: bool = False, **given: Any
    ) -> LoadedConfig:
        text = data if isinstance(data, str) else json.dumps(data)
        self.path.write_text(text, "utf-8")
        return load_config(self.path, given, ignore_unsupported=ignore)

    def told(self, data: Any, **given: Any) -> list[str]:
        unhonoured = self(data, ignore=True, **given).unhonoured
        return [text.removeprefix(f"{self.path}: ") for text in unhonoured]

    def errors(self, data: Any) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            self(data)
        return caught.value.message.replace(str(self.path), "FILE").splitlines()


@pytest.fixture
def load(tmp_path: Path) -> Loader:
    return Loader(tmp_path)


def at(path: str, value: Any) -> dict[str, Any]:
    """Return an object that has a value at a dotted path."""
    for name in reversed(path.split(".")):
        value = {name: value}
    return value


def paths(data: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return what is no section by its dotted path."""
    found: dict[str, Any] = {}
    for name, value in data.items():
        if isinstance(value, dict) and value:
            found |= paths(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = value
    return found


def test_what_medusa_itself_writes_is_taken_with_its_defaults(load: Loader):
    loaded = load(DEFAULTS)
    assert loaded.unhonoured == ()
    assert loaded.target == load.path.parent
    assert loaded.contract is None
    preset = load({}).campaign.to_json()
    assert loaded.campaign.to_json() == {**preset, "workers": 10}


def test_the_preset_is_medusas_environment(load: Loader):
    changed = {
        name: value
        for name, value in load({}).campaign.to_json().items()
        if value != CampaignConfig().to_json().get(name)
    }
    assert changed == {
        "test_mode": "property,assertion,optimization",
        "cheat_dialect": "medusa",
        "prefix": "property_",
        "test_limit": None,
        "stop_on_fail": True,
        # The address of the first contract in everything that Medusa prints.
        "contract_addr": 0xA647FF3C36CFAB592509E13860AB8C4F28781A66,
        "balance_addr": ((1 << 255) - 1) // 2,
        "block_number": 1,
        "block_timestamp": 1,
        "block_gas_limit": 125_000_000,
        "prev_randao": 0,
    }


def test_every_key_that_medusa_writes_is_known():
    known = {*medusa.KNOWN}
    unknown = [name for name in paths(DEFAULTS) if name not in known]
    assert [n for n in unknown if not n.startswith(("slither.", "logging."))] == []


@pytest.mark.parametrize(
    ("path", "value", "field", "expected"),
    [
        ("fuzzing.workers", 3, "workers", 3),
        ("fuzzing.testLimit", 12, "test_limit", 12),
        ("fuzzing.shrinkLimit", 7, "shrink_limit", 7),
        ("fuzzing.callSequenceLength", 8, "seq_len", 8),
        ("fuzzing.coverageEnabled", False, "coverage", False),
        ("fuzzing.blockNumberDelayMax", 5, "max_block_delay", 5),
        ("fuzzing.blockTimestampDelayMax", 6, "max_time_delay", 6),
        ("fuzzing.blockGasLimit", 9, "block_gas_limit", 9),
        ("fuzzing.transactionGasLimit", 99, "test_max_gas", 99),
        ("fuzzing.transactionGasLimit", 99, "prop_max_gas", 99),
        ("fuzzing.senderAddresses", ["0x90", "0x80"], "senders", (128, 144)),
        ("fuzzing.senderAddresses", ["0x90", "0x80"], "psender", 0x90),
        ("fuzzing.deployerAddress", "0x77", "deployer", 0x77),
        ("fuzzing.deployerAddress", "0x77", "contract_addr", created_address(0x77, 0)),
        ("fuzzing.targetContractsBalances", ["1e18"], "balance_contract", 10**18),
        ("fuzzing.targetContractsBalances", ["0xFF"], "balance_contract", 255),
        ("fuzzing.targetContractsBalances", ["17"], "balance_contract", 17),
        ("fuzzing.targetContractsBalances", [18], "balance_contract", 18),
        ("fuzzing.targetContractsBalances", [""], "balance_contract", 0),
        ("fuzzing.testing.stopOnFailedTest", False, "stop_on_fail", False),
        ("fuzzing.testing.testViewMethods", False, "exclude_view_pure", True),
        ("fuzzing.testing.propertyTesting.testPrefixes", ["p_"], "prefix", "p_"),
        (f"{BEST}.testPrefixes", ["b_"], "value_prefix", "b_"),
        (f"{BEST}.enabled", False, "test_mode", "property,assertion"),
        (
            "fuzzing.testing.assertionTesting.enabled",
            False,
            "test_mode",
            "property,optimization",
        ),
        (
            "fuzzing.testing.propertyTesting.enabled",
            False,
            "test_mode",
            "assertion,optimization",
        ),
        ("fuzzing.chainConfig.codeSizeCheckDisabled", False, "code_size", 24576),
    ],
)
def test_keys_become_ours(load: Loader, path, value, field, expected):
    assert getattr(load(at(path, value)).campaign, field) == expected


def test_keys_become_options_and_the_rest(load: Loader):
    loaded = load(
        {
            "fuzzing": {"timeout": 9, "corpusDirectory": "corpus"},
            "compilation": {
                "platform": "solc",
                "platformConfig": {
                    "target": "src/T.sol",
                    "args": ["--solc-remaps", "a=b", "--compile-libraries=(L,0x1234)"],
                },
            },
        }
    )
    assert (loaded.options.timeout, loaded.options.corpus_dir) == (9, "corpus")
    assert loaded.target == load.path.parent / "src/T.sol"
    assert loaded.solc_args == "a=b"
    assert loaded.campaign.libraries == (("L", 0x1234),)


def test_all_kinds_of_tests_are_checked_and_an_option_decides(load: Loader):
    def modes(data: Any, **given: Any) -> str:
        assert load.told(data, **given) == []
        return load(data, **given).campaign.test_mode

    assert modes({}) == "property,assertion,optimization"
    assert modes({}, testMode="property") == "property"
    off = at("fuzzing.testing.propertyTesting.enabled", value=False)
    assert modes(off) == "assertion,optimization"
    assert modes(off, testMode="all") == "property,assertion,optimization"
    off["fuzzing"]["testing"]["assertionTesting"] = {"enabled": False}
    assert modes(off) == "optimization"
    off["fuzzing"]["testing"]["optimizationTesting"] = {"enabled": False}
    assert modes(off) == "exploration"


@pytest.mark.parametrize(("name", "code"), PANIC_CODES)
def test_each_panic_fails_assertion_tests_or_does_not(load: Loader, name, code):
    def codes(*, value: bool) -> tuple[int, ...]:
        return load(at(f"{PANIC}.failOn{name}", value)).campaign.panic_codes

    assert codes(value=True) == tuple(sorted({code, 1}))
    assert codes(value=False) == (() if code == 1 else (1,))


def test_panics_are_chosen_together_and_an_option_decides(load: Loader):
    every = {f"failOn{name}": True for name, _ in PANIC_CODES}
    codes = tuple(code for _, code in PANIC_CODES)
    assert load(at(PANIC, every)).campaign.panic_codes == codes
    assert load(at(PANIC, every), panicCodes=[0x12]).campaign.panic_codes == (0x12,)
    others = every | {"failOnAssertion": False}
    assert load(at(PANIC, others)).campaign.panic_codes == (0, *codes[2:])
    assert load.told(at(PANIC, others)) == []


def test_a_campaign_without_tests_explores(load: Loader):
    names = ("property", "assertion", "optimization")
    off = {f"{name}Testing": {"enabled": False} for name in names}
    assert load(at("fuzzing.testing", off)).campaign.test_mode == "exploration"


def test_functions_are_filtered_either_way(load: Loader):
    name = "fuzzing.testing.targetFunctionSignatures"
    campaign = load(at(name, ["T.f(uint256)"])).campaign
    filtered = (campaign.filter_functions, campaign.filter_blacklist)
    assert filtered == (("T.f(uint256)",), False)
    name = "fuzzing.testing.excludeFunctionSignatures"
    campaign = load(at(name, ["T.g()"])).campaign
    filtered = (campaign.filter_functions, campaign.filter_blacklist)
    assert filtered == (("T.g()",), True)


# ----------------------------------------------------------------------- deployments


def test_contracts_lie_where_medusa_has_them(load: Loader):
    loaded = load(
        {
            "fuzzing": {
                "targetContracts": ["Token", "Vault", "CryticTester"],
                "predeployedContracts": {
                    "Lib": "0xf01",
                    "CryticTester": f"0x{TESTER:040X}".replace("0X", "0x"),
                },
                "targetContractsBalances": ["1", "", "3"],
                "constructorArgs": {"Vault": {"token": "DeployedContract:Token"}},
            }
        },
        ignore=True,
    )
    campaign = loaded.campaign
    token, vault = (created_address(0x30000, nonce) for nonce in (2, 3))
    assert loaded.contract == "CryticTester"
    assert campaign.contract_addr == TESTER
    assert campaign.deploy_contracts == (
        (0xF01, "Lib"),
        (token, "Token"),
        (vault, "Vault"),
    )
    assert campaign.balance_contract == 3
    assert dict(campaign.balances) == {token: 1, vault: 0}
    assert campaign.constructor_args == (
        ("Vault", '{"token": "DeployedContract:Token"}'),
    )


def test_one_target_is_the_contract_that_is_fuzzed(load: Loader):
    loaded = load(at("fuzzing.targetContracts", ["Vault"]))
    assert loaded.contract == "Vault"
    assert loaded.campaign.deploy_contracts == ()
    assert (
        load(at("fuzzing.targetContracts", ["Vault"]), contract="Other").contract
        == "Other"
    )


def test_several_prefixes_of_tests_are_all_taken(load: Loader):
    names = at("fuzzing.testing.propertyTesting.testPrefixes", ["a_", "b_", "c_"])
    assert load(names).campaign.prefix == "a_,b_,c_"
    names = at("fuzzing.testing.optimizationTesting.testPrefixes", ["d_", "e_"])
    assert load(names).campaign.value_prefix == "d_,e_"


# --------------------------------------------------------------- what does not work

CHANGING = {
    "fuzzing": {
        "testing": {
            "assertionTesting": {
                "panicCodeConfig": {
                    "failOnAssertion": False,
                    "failOnDivideByZero": True,
                }
            },
            "stopOnFailedContractMatching": True,
        },
        "chainConfig": {
            "cheatCodes": {"enableFFI": True},
            "forkConfig": {"forkModeEnabled": True, "rpcUrl": "http://x"},
            "contractAddressOverrides": {"0x00": "0x10"},
            "genesisStateFile": "state.json",
            "skipAccountChecks": False,
        },
        "callSequenceLenght": 5,
        "workers": 4097,
    },
    "compilation": {"platform": "truffle", "platformConfig": {"solcVersion": "0.7.6"}},
}


NOT_YET = "is {}, which is not supported yet."
REFUSALS = {
    "fuzzing.testing.stopOnFailedContractMatching": NOT_YET.format("true"),
    "fuzzing.chainConfig.genesisStateFile": NOT_YET.format("`state.json`"),
    "fuzzing.chainConfig.skipAccountChecks": NOT_YET.format("false"),
    "fuzzing.chainConfig.forkConfig.forkModeEnabled": NOT_YET.format("true"),
    "fuzzing.chainConfig.contractAddressOverrides": NOT_YET.format("a mapping"),
    "fuzzing.callSequenceLenght": (
        "is no key of Medusa; it may be meant for `fuzzing.callSequenceLength`."
    ),
    "compilation.platform": "is `truffle`, which is not supported.",
    "compilation.platformConfig.solcVersion": NOT_YET.format("`0.7.6`"),
}


def test_all_that_changes_what_is_tested_is_refused_at_once(load: Loader):
    hint = " To go on without it, give --ignore-unsupported."
    refused = {f"FILE: `{name}` {why}{hint}" for name, why in REFUSALS.items()}
    workers = f"`workers` must be {NUMBER_OF_WORKERS}, not `4097`."
    assert set(load.errors(CHANGING)) == {
        *refused,
        f"FILE, fuzzing.workers: {workers}",
    }


def test_who_ignores_it_is_told_what_was_not_honoured(load: Loader):
    data = json.loads(json.dumps(CHANGING))
    data["fuzzing"]["workers"] = 2
    told = load.told(data)
    assert len(told) == len(REFUSALS) == 8
    loaded = load(data, ignore=True)
    assert loaded.campaign.panic_codes == (0x12,)
    assert loaded.campaign.allow_ffi  # as the file says that is named


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("fuzzing.pruneFrequency", 99),
        ("fuzzing.workerResetLimit", 1),
        ("slither.useSlither", False),
        ("slither.anything", [1]),
        ("logging.level", "debug"),
        ("fuzzing.chainConfig.forkConfig.rpcUrl", "http://x"),
        ("fuzzing.testing.stopOnNoTests", False),
        ("compilation.platformConfig.exportDirectory", "out"),
        ("fuzzing.revertReporterEnabled", True),
        ("fuzzing.workers", None),
    ],
)
def test_what_has_nothing_to_change_here_is_passed_over(load: Loader, path, value):
    assert load(at(path, value)).unhonoured == load({}).unhonoured


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("fuzzing.testing.verbosity", 2, "is not supported yet and does nothing."),
        ("fuzzing.deploymentOrder", ["T"], "was dropped by Medusa; it does nothing."),
    ],
)
def test_what_only_changes_what_is_told_is_listed(load: Loader, path, value, told):
    assert load.told(at(path, value)) == [f"`{path}` {told}"]


# ------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("{", "FILE, line 1: this is no JSON: Expecting property name enclosed in"),
        ("[]", "FILE: this is no JSON object."),
        ("3", "FILE: this is no JSON object."),
        ('{"a": NaN}', "FILE: NaN is no number."),
        ('{"fuzzing": {"workers": 1, "workers": 2}}', "FILE: `workers` is set twice;"),
        ("[" * 60_000, "FILE: the JSON is nested too deeply."),
        ('{"a":' * 20_000, "FILE: the JSON is nested too deeply."),
        ('{"a":' * 65 + "1" + "}" * 65, "FILE: the JSON is nested too deeply."),
        ('{"a": "\\\\"' + ', "a": [' * 70, "FILE: the JSON is nested too deeply."),
        ('{"fuzzing": 5, "x": "' + "[" * 100 + '"}', "`fuzzing` must be an object"),
        ("[" * 200_000, "The configuration file FILE is larger than 128 KiB, the most"),
        ('{"a": "\\ud800"}', "FILE: '\\ud800' holds half of a surrogate pair; write"),
        ({"fuzzing.workers": 5}, 'FILE: `"fuzzing.workers"` is no key of Medusa;'),
        ({"fuzzing": 5}, "FILE: `fuzzing` must be an object, not `5`."),
        (at("fuzzing.testing", []), "`fuzzing.testing` must be an object, not []."),
        (
            at("fuzzing.workers", "many"),
            f"FILE, fuzzing.workers: `workers` must be {NUMBER_OF_WORKERS}, not",
        ),
        (
            at("fuzzing.timeout", -1),
            "fuzzing.timeout: `timeout` must be seconds from 1",
        ),
        (at("fuzzing.testLimit", 1.5), "`testLimit` must be a whole number"),
        ('{"fuzzing":{"testLimit":' + "9" * 5000 + "}}", "`testLimit` must be a whole"),
        (
            at("fuzzing.deployerAddress", 5.5),
            "`fuzzing.deployerAddress` must be an add",
        ),
        (
            at("fuzzing.senderAddresses", "0x1"),
            "`sender` must be a list of one or more",
        ),
        (
            at("fuzzing.targetContracts", "T"),
            "`fuzzing.targetContracts` must be a list",
        ),
        (
            at("fuzzing.predeployedContracts", []),
            'must be addresses by contract, as {"T',
        ),
        (
            at("fuzzing.predeployedContracts", {"L": "0x10"}),
            "addresses by contract; that of L is to be an address that no precompiled",
        ),
        (
            at("fuzzing.targetContractsBalances", ["x"]),
            "`balanceContract` must be a who",
        ),
        (
            at("fuzzing.targetContractsBalances", [1, 2]),
            "has more amounts than there ar",
        ),
        (
            at("fuzzing.testing.testViewMethods", 1),
            "`excludeViewPure` must be true or f",
        ),
        (
            at("fuzzing.testing.propertyTesting.testPrefixes", []),
            "`fuzzing.testing.propertyTesting.testPrefixes` is empty; name a prefix.",
        ),
        (
            at(f"{BEST}.testPrefixes", []),
            "`fuzzing.testing.optimizationTesting.testPrefixes` is empty; name a pre",
        ),
        (
            at(f"{PANIC}.failOnDivideByZero", 1),
            f"`{PANIC}.failOnDivideByZero` must be true or false, not `1`.",
        ),
        (
            at(f"{PANIC}.failOnDivisionByZero", value=True),
            f"`{PANIC}.failOnDivisionByZero` is no key of Medusa;",
        ),
        (
            at(
                "fuzzing.testing",
                {"targetFunctionSignatures": ["a"], "excludeFunctionSignatures": ["b"]},
            ),
            "and fuzzing.testing.excludeFunctionSignatures exclude each other.",
        ),
        (
            at("fuzzing.constructorArgs", [1]),
            "`constructorArgs` must be a mapping from",
        ),
    ],
)
def test_mistakes_name_file_and_key(load: Loader, data: Any, message: str):
    assert any(message in line for line in load.errors(data))


def test_an_empty_file_asks_for_nothing(load: Loader):
    assert load(" \n").campaign == load({}).campaign


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=6),
        st.sampled_from(["0x10", "1e18", "T.f()"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(max_size=4), inner, max_size=3),
    ),
    max_leaves=6,
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(medusa.KNOWN), VALUES), max_size=5))
def test_any_values_are_a_configuration_or_a_config_error(load: Loader, pairs):
    data: dict[str, Any] = {}
    for path, value in pairs:
        inner = data
        *sections, last = path.split(".")
        for section in sections:
            inner = inner.setdefault(section, {})
        inner[last] = value
    try:
        loaded = load(data, ignore=True)
    except ConfigError as error:
        assert "medusa.json" in error.message  # noqa: PT017 - either is right
    else:
        stored = loaded.campaign.to_json()
        assert (
            CampaignConfig.from_json(json.loads(json.dumps(stored))) == loaded.campaign
        )


def test_reports_of_coverage_are_those_that_medusa_writes(load: Loader):
    options = load(at("fuzzing.coverageFormats", ["lcov", "html"])).options
    assert options.coverage_formats == ("html", "lcov")
    options = load(at("fuzzing.coverageExclusions", ["lib/**"])).options
    assert options.coverage_excludes == ("lib/**",)
