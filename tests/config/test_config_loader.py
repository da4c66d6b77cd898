from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echidna_mcp.config.campaign import CampaignConfig, RunOptions
from echidna_mcp.config.keys import SUPPORTED, UNSUPPORTED
from echidna_mcp.config.loader import LoadedConfig, load_config
from echidna_mcp.errors import ConfigError

ECHIDNA_DEFAULTS = """\
projectName: null
testMode: property
testDestruction: false
psender: "0x10000"
prefix: echidna_
propMaxGas: 12500000
testMaxGas: 12500000
maxGasprice: 0
maxTimeDelay: 604800
maxBlockDelay: 60480
maxValue: 100000000000000000000
testLimit: 50000
seqLen: 100
shrinkLimit: 5000
stopOnFail: false
coverage: true
format: null
contractAddr: "0x00a329c0648769A73afAc7F9381E08FB43dBEA72"
deployer: "0x30000"
sender: ["0x10000", "0x20000", "0x30000"]
balanceAddr: 0xffffffff
balanceContract: 0
codeSize: 0xffffffff
disableSlither: false
solcArgs: ""
solcLibs: []
cryticArgs: []
quiet: false
deployContracts: []
deployBytecodes: []
allContracts: false
timeout: null
seed: null
dictFreq: 0.40
filterFunctions: []
filterBlacklist: true
excludeViewPure: false
allowFFI: false
corpusDir: null
coverageDir: null
coverageFormats: ["txt","html","lcov"]
coverageExcludes: []
mutConsts: [1, 1, 1, 1]
rpcUrl: null
rpcBlock: null
etherscanApiKey: null
disableOnchainSources: false
workers: null
server: null
allEvents: false
symExec: false
symExecNSolvers: 1
symExecTimeout: 30
symExecMaxIters: 5
symExecAskSMTIters: 1
symExecTargets: null
symExecMaxExplore: 10
symExecSMTSolver: bitwuzla
"""


class Loader:
    """Loads YAML text from a file."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "echidna.yaml"

    def __call__(self, text: str | bytes, **overrides: Any) -> LoadedConfig:
        raw = text if isinstance(text, bytes) else text.encode()
        self.path.write_bytes(raw)
        return load_config(self.path, overrides)

    def error(self, text: str | bytes, **overrides: Any) -> str:
        with pytest.raises(ConfigError) as caught:
            self(text, **overrides)
        message = caught.value.message
        assert message.endswith(".")
        assert "\n" not in message
        return message.replace(str(self.path), "FILE")


@pytest.fixture
def load(tmp_path: Path) -> Loader:
    return Loader(tmp_path)


def test_no_file_gives_the_defaults() -> None:
    loaded = load_config()
    assert loaded == LoadedConfig(campaign=CampaignConfig(), options=RunOptions())


def test_echidnas_own_defaults_change_nothing_and_warn_of_nothing(
    load: Loader,
) -> None:
    loaded = load(ECHIDNA_DEFAULTS)
    assert loaded.campaign == CampaignConfig()
    assert loaded.options == RunOptions()
    assert loaded.warnings == ()
    assert loaded.seed is None


def test_every_key_of_echidna_is_known() -> None:
    known = {key.name for key in SUPPORTED} | set(UNSUPPORTED) | {"disableSlither"}
    assert set(yaml.safe_load(ECHIDNA_DEFAULTS)) <= known


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "null\n", "{}\n"])
def test_an_empty_file_gives_the_defaults(load: Loader, text: str) -> None:
    assert load(text).campaign == CampaignConfig()


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("testMode: assertion", "test_mode", "assertion"),
        ("testMode: 'exploration'", "test_mode", "exploration"),
        ("prefix: fuzz_", "prefix", "fuzz_"),
        ("psender: 0x20000", "psender", 0x20000),
        ("psender: '0xAb'", "psender", 0xAB),
        ("maxValue: 1e18", "max_value", 10**18),
        ("maxValue: 1.5e3", "max_value", 1500),
        ("balanceAddr: 0xff", "balance_addr", 255),
        ("testLimit: 7", "test_limit", 7),
        ("testLimit: null", "test_limit", None),
        ("seqLen: 010", "seq_len", 10),
        ("stopOnFail: yes", "stop_on_fail", True),
        ("sender: ['0x3', 0x1, '0x03']", "senders", (1, 3)),
        ("dictFreq: 0.40", "dict_freq", 400),
        ("dictFreq: 0.0005", "dict_freq", 0),
        ("dictFreq: 0.29", "dict_freq", 290),
        ("dictFreq: 1", "dict_freq", 1000),
        ("dictFreq: 2.5e-1", "dict_freq", 250),
        ("mutConsts: [0, 1, 2, 3]", "mut_consts", (0, 1, 2, 3)),
        ("filterFunctions:\n - T.f(uint256)", "filter_functions", ("T.f(uint256)",)),
        ("workers: 3", "workers", 3),
        ("roundBudget: 9", "round_budget", 9),
        ("seed: 77", "seed", 77),
    ],
)
def test_keys_set_the_campaign(
    load: Loader, line: str, field: str, value: object
) -> None:
    campaign = load(line + "\n").campaign
    assert getattr(campaign, field) == value
    changed = {k for k, v in campaign.to_json().items() if v != DEFAULTS[k]}
    assert changed <= {field}


DEFAULTS = CampaignConfig().to_json()


def test_keys_set_the_options_and_the_rest(load: Loader) -> None:
    loaded = load(
        "format: json\nquiet: true\ntimeout: 60\ncorpusDir: out\nbackend: b\n"
        "executor: inline\nplugins: default,x\nseed: 5\nsolcArgs: --via-ir\n"
    )
    assert loaded.options == RunOptions(
        format="json",
        quiet=True,
        timeout=60,
        corpus_dir="out",
        backend="b",
        executor="inline",
        plugins="default,x",
    )
    assert (loaded.seed, loaded.campaign.seed) == (5, 5)
    assert loaded.solc_args == "--via-ir"


def test_the_command_line_wins_over_the_file(load: Loader) -> None:
    loaded = load(
        "testLimit: 5\nseqLen: 6\n", testLimit=7, seqLen=None, corpusDir=Path("c")
    )
    assert loaded.campaign.test_limit == 7
    assert loaded.campaign.seq_len == 6
    assert loaded.options.corpus_dir == "c"
    assert loaded.given == ("corpusDir", "seqLen", "testLimit")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "seqLen: 5\ntestLimit: many\n",
            "FILE, line 2: `testLimit` must be a whole number from 0 to 2^63-1, not `",
        ),
        ("seqLen: 0\n", "FILE, line 1: `seqLen` must be a whole number from 1"),
        ("seqLen: 1.5\n", "not `1.5`."),
        ("seqLen: '5'\n", "`seqLen` must be a whole number"),
        ("seqLen: 1e999999\n", "`seqLen` must be a whole number"),
        ("seqLen: 1e-999999\n", "`seqLen` must be a whole number"),
        ("seqLen: " + "9" * 5000 + "\n", "`seqLen` must be a whole number"),
        ("seqLen: true\n", "not true."),
        ("seqLen: [5]\n", "not [`5`]."),
        ("seqLen: {a: 1}\n", "not a mapping."),
        ("maxValue: 0x1" + "0" * 64 + "\n", "an amount of wei from 0 to 2^256-1"),
        ("maxTimeDelay: -1\n", "from 0 to 2^48-1, not `-1`"),
        ("stopOnFail: 1\n", "`stopOnFail` must be true or false, not `1`."),
        ("prefix: 12\n", "`prefix` must be text; put it in quotes, not `12`."),
        ("dictFreq: 1.01\n", "`dictFreq` must be a number from 0 to 1"),
        ("dictFreq: often\n", "`dictFreq` must be a number from 0 to 1"),
        ("psender: 0x100\n", "`psender` must be an address that no precompiled"),
        ("contractAddr: '0x11'\n", "`contractAddr` must be an address that no"),
        ("contractAddr: '0x1'\n", "`contractAddr` must be an address that no"),
        ("deployer: '0x1" + "0" * 40 + "'\n", "`deployer` must be an address"),
        ("deployer: '30000'\n", "`deployer` must be an address, 0x and"),
        ("deployer: '0xZZ'\n", "`deployer` must be an address, 0x and"),
        ("sender: []\n", "`sender` must be a list of one or more addresses"),
        ("sender: '0x1'\n", "`sender` must be a list of one or more addresses"),
        ("sender: [['0x1']]\n", "not [[`0x1`]]."),
        ("mutConsts: [1, 1, 1]\n", "`mutConsts` must be a list of four"),
        ("mutConsts: [1, 1, 1, -1]\n", "`mutConsts` must be a list of four"),
        ("testMode: foundry\n", "one of property, assertion, exploration (Echidna's"),
        ("format: xml\n", "`format` must be one of text, json, none, not `xml`."),
        ("workers: 0\n", "`workers` must be a whole number from 1 to 255, not `0`."),
        ("timeout: 0\n", "`timeout` must be seconds from 1"),
        ("filterFunctions: f\n", "`filterFunctions` must be a list of texts"),
        ("filterBlacklist: false\n", "`filterFunctions` must name the functions"),
        (
            "seqLen: 5\n\nseqLen: 6\n",
            "FILE, line 3: `seqLen` is already set in line 1; remove one of the two.",
        ),
        ("- seqLen\n", "FILE, line 1: a configuration is a list of `key: value`"),
        ("just text\n", "FILE, line 1: a configuration is a list of `key: value`"),
        ("[a]: 1\n", "FILE, line 1: a key must be a plain word."),
        ("seqLen: 5\n  bad: [\n", "FILE, line 2: this is no YAML:"),
        ("a: 1\nb: *missing\n", "FILE, line 2: this is no YAML:"),
        ("a: 1\n---\nb: 1\n", "FILE, line 2: this is no YAML:"),
        ("a: 1\nb: \x01\n", "FILE, line 2: this is no YAML:"),
        ("a: " + "[" * 5000 + "\n", "FILE: the YAML is nested too deeply."),
        (b"a: \xff\n", "FILE can't be read: it is not UTF-8 text."),
    ],
)
def test_mistakes_name_file_line_and_key(
    load: Loader, text: str | bytes, message: str
) -> None:
    assert message in load.error(text)


def test_mistakes_of_the_command_line_are_named_as_such(load: Loader) -> None:
    assert load.error("workers: 3\n", workers=0) == (
        "--workers must be a whole number from 1 to 255, not `0`."
    )
    assert "there is no key `worker`" in load.error("", worker=1)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load_config(tmp_path / "none.yaml")


def test_keys_that_do_nothing_are_warned_of_with_their_lines(load: Loader) -> None:
    warnings = load(
        "allContracts: true\nseqLenn: 5\ncheckAsserts: true\ndisableSlither: true\n"
        "rpcUrl: http://localhost\nsymExecTimeout: 31\ncoverageFormats: [txt]\n"
        "zzzzzzzzz: 1\n"
    ).warnings
    path = load.path
    assert warnings == (
        f"{path}, line 1: `allContracts` is not supported yet and does nothing.",
        f"{path}, line 2: there is no key `seqLenn`; did you mean `seqLen`?",
        f"{path}, line 3: Echidna has dropped `checkAsserts`; it does nothing.",
        f"{path}, line 5: `rpcUrl` is not supported yet and does nothing.",
        f"{path}, line 6: `symExecTimeout` is not supported yet and does nothing.",
        f"{path}, line 7: `coverageFormats` is not supported yet and does nothing.",
        f"{path}, line 8: there is no key `zzzzzzzzz`.",
    )


def test_supported_keys_name_fields_that_exist() -> None:
    owners = {"campaign": CampaignConfig, "options": RunOptions, "loaded": LoadedConfig}
    for key in SUPPORTED:
        assert key.field in owners[key.owner].__slots__
    fields = {key.field for key in SUPPORTED if key.owner != "loaded"}
    wanted = {*CampaignConfig.__slots__, *RunOptions.__slots__} - {"seed"}
    assert fields == wanted


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 1000))
def test_shares_in_thousandths_are_exact(load: Loader, thousandths: int) -> None:
    text = f"{thousandths // 1000}.{thousandths % 1000:03d}"
    assert load(f"dictFreq: {text}").campaign.dict_freq == thousandths


LINES = st.one_of(
    st.builds(
        "{}: {}".format,
        st.sampled_from([key.name for key in SUPPORTED] + list(UNSUPPORTED)),
        st.one_of(
            st.text(max_size=8),
            st.integers().map(str),
            st.floats().map(str),
            st.sampled_from(["null", "[]", "[1, 0x2]", "'0x1'", "~", "yes", "{}"]),
        ),
    ),
    st.text(max_size=12),
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LINES, max_size=6).map("\n".join))
def test_any_file_is_a_configuration_or_a_config_error(load: Loader, text: str) -> None:
    try:
        loaded = load(text.encode("utf-8", "surrogatepass"))
    except ConfigError as error:
        assert "echidna.yaml" in error.message  # noqa: PT017 - either is right
    else:
        json = loaded.campaign.to_json()
        assert CampaignConfig.from_json(json) == loaded.campaign
