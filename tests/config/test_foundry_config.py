"""`foundry.toml`: its environment and its limits are settings of ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.config.projects.loader import LoadedConfig, load_config
from echidna_mcp.errors import ConfigError
from echidna_mcp.evm.created import created_address

SENDER = 0x1804C8AB1F12E6BBF3894D4083F33E07309D1F38
TEST_CONTRACT = 0x7FA9385BE102AC3EAC297483DD6233D62B3E1496
U96 = (1 << 96) - 1


class Loader:
    """Loads text as a `foundry.toml`."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "foundry.toml"

    def __call__(self, text: str, *, ignore: bool = False) -> LoadedConfig:
        self.path.write_text(text, "utf-8")
        return load_config(self.path, ignore_unsupported=ignore)

    def profile(self, *lines: str) -> CampaignConfig:
        return self("\n".join(["[profile.default]", *lines])).campaign

    def error(self, text: str) -> str:
        with pytest.raises(ConfigError) as caught:
            self(text)
        assert "\n" not in caught.value.message
        return caught.value.message.replace(str(self.path), "FILE")


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loader:
    monkeypatch.delenv("FOUNDRY_PROFILE", raising=False)
    return Loader(tmp_path)


def test_the_preset_is_foundrys_environment(load: Loader):
    changed = {
        name: value
        for name, value in load("").campaign.to_json().items()
        if value != CampaignConfig().to_json().get(name)
    }
    [[factory, _]] = changed.pop("deploy_bytecodes")
    assert factory == 0x4E59B44847B379578588920CA78FBF26C0B4956C
    assert changed == {
        "test_mode": "foundry",
        "std_invariant": "always",
        "cheat_dialect": "foundry",
        "psender": SENDER,
        "deployer": SENDER,
        "contract_addr": TEST_CONTRACT,
        "balance_addr": U96,
        "balances": [[TEST_CONTRACT, U96]],
        "block_number": 1,
        "block_timestamp": 1,
        "block_gas_limit": 1 << 30,
        "prev_randao": 0,
        "chain_id": 31337,
    }


@pytest.mark.parametrize(
    ("line", "field", "expected"),
    [
        ("block_number = 17", "block_number", 17),
        ("block_timestamp = 1_700_000_000", "block_timestamp", 1_700_000_000),
        ("block_base_fee_per_gas = 7", "base_fee", 7),
        (
            "block_coinbase = '0x00000000000000000000000000000000000000AA'",
            "coinbase",
            170,
        ),
        (f"block_prevrandao = '0x{'ff' * 32}'", "prev_randao", (1 << 256) - 1),
        ("chain_id = 10", "chain_id", 10),
        ("chain_id = '0xa'", "chain_id", 10),
        ("gas_limit = '300000000'", "block_gas_limit", 300_000_000),
        ("gas_limit = 9223372036854775807", "block_gas_limit", (1 << 63) - 1),
        ("gas_limit = '18446744073709551615'", "block_gas_limit", (1 << 64) - 1),
        ("gas_limit = 'max'", "block_gas_limit", (1 << 64) - 1),
        ("gas_limit = 5\nblock_gas_limit = 6", "block_gas_limit", 6),
        ("gas_price = 3", "max_gas_price", 3),
        ("code_size_limit = 24576", "code_size", 24576),
        ("initial_balance = '0xff'", "balance_addr", 255),
        ("initial_balance = '0xff'", "balances", ((TEST_CONTRACT, 255),)),
        ("sender = '0x77'", "deployer", 0x77),
        ("sender = '0x77'", "psender", 0x77),
        ("sender = '0x77'", "contract_addr", created_address(0x77, 1)),
        ("sender = '0x77'", "balances", ((created_address(0x77, 1), U96),)),
        ("sender = '0x77'\ntx_origin = '0x77'", "deployer", 0x77),
        ("libraries = ['src/A.sol:L:0x1234']", "libraries", (("src/A.sol:L", 0x1234),)),
        ("invariant.depth = 30", "seq_len", 30),
        ("invariant.depth = 30", "test_limit", 30 * 256),
        ("invariant.runs = 10", "seq_len", 500),
        ("invariant.runs = 10", "test_limit", 5_000),
        ("invariant.runs = 10\ninvariant.depth = 3", "test_limit", 30),
        ("invariant.shrink_run_limit = 4", "shrink_limit", 4),
        ("invariant.max_time_delay = 60", "max_time_delay", 60),
        ("invariant.max_block_delay = 6", "max_block_delay", 6),
    ],
)
def test_keys_become_ours(load: Loader, line: str, field: str, expected: object):
    assert getattr(load.profile(line), field) == expected


@pytest.mark.parametrize(
    ("seed", "expected"),
    [("'0x4444'", 0x4444), ("5", 5), (f"'0x{'f' * 64}'", (1 << 63) - 1)],
)
def test_the_seed_is_taken_as_far_as_ours_go(load: Loader, seed: str, expected: int):
    assert load(f"[fuzz]\nseed = {seed}\n").seed == expected


def test_the_time_limit_is_taken(load: Loader):
    assert load("[invariant]\ntimeout = 5\n").invariant_timeout == 5


# ------------------------------------------------------------------------- profiles

PROFILES = """
[profile.default]
block_number = 1000
chain_id = 5
[profile.default.invariant]
depth = 10
runs = 1
[profile.ci]
block_number = 2000
[profile.ci.invariant]
runs = 7
[fuzz]
runs = 3
[invariant]
shrink_run_limit = 9
"""


def test_the_default_profile_stands_over_the_sections(load: Loader):
    campaign = load(PROFILES).campaign
    assert (campaign.block_number, campaign.chain_id) == (1000, 5)
    assert (campaign.seq_len, campaign.test_limit) == (10, 10)
    assert campaign.shrink_limit == 9


def test_a_profile_stands_over_sections_and_default(load: Loader, monkeypatch):
    monkeypatch.setenv("FOUNDRY_PROFILE", "ci")
    campaign = load(PROFILES).campaign
    assert (campaign.block_number, campaign.chain_id) == (2000, 5)
    assert (campaign.seq_len, campaign.test_limit) == (10, 70)


def test_invariants_have_from_fuzz_what_they_do_not_say(load: Loader):
    campaign = load("[fuzz]\nruns = 3\n[invariant]\ndepth = 5\n").campaign
    assert (campaign.seq_len, campaign.test_limit) == (5, 15)


def test_a_profile_that_does_not_exist_is_refused(load: Loader, monkeypatch):
    monkeypatch.setenv("FOUNDRY_PROFILE", "cii")
    assert load.error(PROFILES) == (
        "FILE: there is no profile 'cii' (FOUNDRY_PROFILE); did you mean ci?"
    )
    assert load.error("") == (
        "FILE: there is no profile 'cii' (FOUNDRY_PROFILE); there are default."
    )


# --------------------------------------------------------------- what does not work


@pytest.mark.parametrize(
    "line",
    [
        "isolate = true",
        "always_use_create_2_factory = true",
        "eth_rpc_url = 'http://localhost'",
        "fork_block_number = 5",
        "extends = './base.toml'",
        "tx_origin = '0x99'",
        "hardfork = 'prague'",
        "celo = true",
        "compilation_restrictions = [{ paths = 'src/A.sol', via_ir = true }]",
        "additional_compiler_profiles = [{ name = 'a', via_ir = true }]",
        "optimiser = true",
        "fuzz.rns = 3",
        "invariant.fail_on_rever = true",
    ],
)
def test_what_changes_what_is_tested_stops(load: Loader, line: str):
    name = line.partition(" ")[0]
    told = load.error(f"[profile.default]\n{line}\n")
    assert told.startswith(f"FILE: `{name}` is ")
    assert told.endswith("To go on without it, give --ignore-unsupported.")
    loaded = load(f"[profile.default]\n{line}\n", ignore=True)
    assert len(loaded.unhonoured) == 1
    assert loaded.campaign == load("").campaign


@pytest.mark.parametrize(
    "text",
    [
        "[profile.default]\nffi = false\nisolate = false\neth_rpc_url = ''\n",
        "[profile.default]\nsolc = '0.8.26'\nvia_ir = true\noptimizer_runs = 1\n",
        "[profile.default]\nevm_version = 'paris'\nremappings = ['a=b']\n",
        "[fmt]\nline_length = 100\n[lint]\nexclude_lints = ['x']\n[doc]\nout = 'd'\n",
        "[rpc_endpoints]\nmainnet = '${URL}'\n[etherscan]\nx = { key = 'k' }\n",
        "[profile.default.fuzz]\nshow_logs = true\n[profile.default.fmt]\nx = 1\n",
    ],
)
def test_what_concerns_others_is_passed_over(load: Loader, text: str):
    assert load(text) == load("")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "[profile.default]\noptimiser = true\n",
            "`optimiser` is no key of Foundry (did you mean `optimizer`?).",
        ),
        (
            "[invariant]\nfail_on_rever = true\n",
            "`invariant.fail_on_rever` is no key of Foundry (did you mean `invariant.",
        ),
        (
            "[profile.default.fuzz]\nsed = '0x1'\n",
            "`fuzz.sed` is no key of Foundry (did you mean `fuzz.seed`?).",
        ),
        ("[fuzz]\ndepth = 3\n", "`fuzz.depth` is no key of Foundry."),
        (
            "[invariants]\ndepth = 3\n",
            "`invariants` is no section of Foundry (did you mean `[invariant]`?).",
        ),
        (
            "[default]\nsrc = 'contracts'\n",
            "`default` is no section of Foundry (did you mean `[profile.default]`?).",
        ),
    ],
)
def test_what_foundry_does_not_know_is_refused(load: Loader, text: str, told: str):
    message = load.error(text)
    assert message.startswith(f"FILE: {told}")
    assert message.endswith(" To go on without it, give --ignore-unsupported.")
    assert load(text, ignore=True).campaign == load("").campaign


def test_keys_that_forge_shows_are_known(load: Loader):
    """Those of `forge config --json` 1.7.1."""
    shown = json.loads((Path(__file__).parent / "forge_config.json").read_text())
    sections = [f"[profile.default]\n{_lines(shown)}"]
    sections += [f"[{name}]\n{_lines(shown[name])}" for name in ("fuzz", "invariant")]
    assert load("\n".join(sections)).unhonoured == ()


def _lines(table: dict[str, Any]) -> str:
    return "\n".join(
        f"{key} = {json.dumps(value)}"
        for key, value in table.items()
        if value is not None and "{" not in json.dumps(value)
    )


@pytest.mark.parametrize("key", ["fail-on-revert", "failOnRevert"])
def test_keys_may_be_written_as_forge_reads_them(load: Loader, key: str):
    assert load(f"[invariant]\n{key} = true\n").campaign.fail_on_revert
    assert load.profile("block-number = 7").block_number == 7


def test_what_is_said_of_all_tests_is_called_so(load: Loader):
    with pytest.raises(ConfigError, match=r"fuzz\.fail_on_revert: `failOnRevert` must"):
        load("[fuzz]\nfail_on_revert = 5\n")
    assert load("[fuzz]\nfail_on_revert = true\n").campaign.fail_on_revert
    of_both = load("[fuzz]\nfail_on_revert = false\n").campaign
    assert not of_both.fail_on_revert
    assert not of_both.fuzz_fail_on_revert
    timeouts = load("[fuzz]\ntimeout = 5\n")
    assert (timeouts.invariant_timeout, timeouts.fuzz_timeout) == (5, 5)


def test_a_project_does_not_allow_its_own_programs(load: Loader):
    loaded = load("[profile.default]\nffi = true\n")
    (told,) = loaded.unhonoured
    assert told == (
        f"{load.path}: `ffi` asks for programs to be run, which is for you to allow: "
        "--allow-ffi."
    )
    assert loaded.campaign == load("").campaign


def test_a_project_says_what_may_be_read(load: Loader):
    entries = "{ access = 'read', path = './data' }, { access = false, path = 'a' }"
    loaded = load(f"[profile.default]\nfs_permissions = [{entries}]\n")
    assert loaded.campaign.fs_permissions == (("read", "./data"), ("none", "a"))
    assert (
        load("[profile.default]\nfs_permissions = []\n").campaign.fs_permissions == ()
    )
    assert load("").campaign.fs_permissions is None
    told = load.error("[profile.default]\nfs_permissions = ['./data']\n")
    assert "`fsPermissions` must be a list of {access:" in told


def test_several_mistakes_are_told_at_once(load: Loader):
    with pytest.raises(ConfigError) as caught:
        load(
            "[profile.default]\ncelo = true\nchain_id = 'mainnet'\nblock_number = -1\n"
        )
    path = load.path
    assert [line[:60] for line in caught.value.message.splitlines()] == [
        line[:60]
        for line in (
            f"{path}: `celo` is true, which is not supported yet. To go on without it",
            f"{path}, chain_id: `chainId` must be a whole number from 0",
            f"{path}, block_number: `blockNumber` must be a whole number from 0",
        )
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[profile", "FILE can't be read: it is no TOML: "),
        (
            "a = 1\na = 2\n",
            "FILE can't be read: it is no TOML: Cannot overwrite a value",
        ),
        ("profile = 3", "FILE: profile must be a table."),
        ("[profile]\ndefault = []", "FILE: default must be a table."),
        ("fuzz = 3", "FILE: fuzz must be a table."),
        ("[profile.default]\nfuzz = 3", "FILE: `fuzz` must be an object, not `3`."),
        ("a = " + "[" * 200_000, "FILE: the TOML is nested too deeply."),
        (".".join("a" * 60_000) + " = 1", "FILE: the TOML is nested too deeply."),
        (
            f"[{'.'.join('a' * 60)}]\n{'.'.join('a' * 60)} = 1",
            "FILE: its values are nes",
        ),
        ("#" * (1 << 20) + "\n", "The configuration file FILE is larger than 1024 KiB"),
        ("a = " + "9" * 5000, "FILE can't be read: it is no TOML: "),
        ("[invariant]\nruns = 'x'", "FILE: `invariant.runs` must be a whole number"),
        ("[fuzz]\nruns = 'x'", "FILE: `fuzz.runs` must be a whole number"),
        (
            "[fuzz]\nruns = 1\n[profile.default.invariant]\nruns = 'x'",
            "`invariant.runs",
        ),
        ("[invariant]\ndepth = 99999", "FILE, invariant.depth: `seqLen` must be a who"),
        ("[fuzz]\nseed = 1.5", "FILE: `fuzz.seed` must be a whole number"),
        ("[profile.default]\nsender = 1.5", "FILE: `sender` must be an address"),
        (
            "[profile.default]\nlibraries = 5",
            "FILE: `libraries` must be a list of text",
        ),
        (
            "[profile.default]\nlibraries = ['A']",
            "FILE, libraries: `cryticArgs` must be",
        ),
        ("[profile.default]\ninitial_balance = []", "`balanceAddr` must be a whole"),
    ],
)
def test_mistakes_name_file_and_key(load: Loader, text: str, message: str):
    with pytest.raises(ConfigError) as caught:
        load(text)
    assert message in caught.value.message.replace(str(load.path), "FILE")


VALUES = st.one_of(
    st.booleans(),
    st.integers(-(1 << 62), 1 << 62),
    st.text(max_size=6),
    st.sampled_from(["0x10", "1e18", "max"]),
    st.lists(st.integers(0, 3), max_size=2),
)
NAMES = (
    *("block_number", "chain_id", "gas_limit", "sender", "tx_origin", "libraries"),
    *("initial_balance", "ffi", "invariant.runs", "invariant.depth", "fuzz.seed"),
    *("fuzz", "invariant", "block_coinbase", "gas_price", "invariant.timeout"),
)


def _toml(value: Any) -> str:
    return json.dumps(value)  # A TOML value, too, for these kinds.


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4))
def test_any_values_are_a_configuration_or_a_config_error(load: Loader, values):
    lines = [f"{name} = {_toml(value)}" for name, value in values.items()]
    try:
        campaign = load("\n".join(["[profile.default]", *lines]), ignore=True).campaign
    except ConfigError as error:
        assert "foundry.toml" in error.message  # noqa: PT017 - either is right
    else:
        stored = json.loads(json.dumps(campaign.to_json()))
        assert CampaignConfig.from_json(stored) == campaign
