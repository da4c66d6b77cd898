from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echidna_mcp.config.campaign import (
    COVERAGE_FORMATS,
    CampaignConfig,
    RunOptions,
)
from echidna_mcp.config.keys import IGNORED, NEEDLESS, REFUSED, SUPPORTED
from echidna_mcp.config.projects.loader import LoadedConfig, load_config
from echidna_mcp.errors import ConfigError

NUMBER_OF_WORKERS = "a whole number from 0 to 4096, small, medium or large"

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
        assert message.endswith((".", "?"))
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
    assert loaded.options == RunOptions(coverage_formats=COVERAGE_FORMATS)
    assert loaded.unhonoured == ()
    assert loaded.seed is None


def test_every_key_of_echidna_is_known() -> None:
    known = {key.name for key in SUPPORTED} | {*REFUSED, *IGNORED, *NEEDLESS}
    assert set(yaml.safe_load(ECHIDNA_DEFAULTS)) <= known


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "null\n", "{}\n"])
def test_an_empty_file_gives_the_defaults(load: Loader, text: str) -> None:
    assert load(text).campaign == CampaignConfig()


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("testMode: assertion", "test_mode", "assertion"),
        ("testMode: 'exploration'", "test_mode", "exploration"),
        ("testMode: optimization", "test_mode", "optimization"),
        ("testMode: overflow", "test_mode", "overflow"),
        ("testMode: overflow, property", "test_mode", "property,overflow"),
        ("testMode: [overflow, assertion]", "test_mode", "assertion,overflow"),
        ("testMode: all", "test_mode", "property,assertion,optimization"),
        ("optimizationPrefix: best_", "value_prefix", "best_"),
        ("panicCodes: [0x32, 1]", "panic_codes", (1, 0x32)),
        ("panicCodes: ['0x32', 1, 0x01, '17']", "panic_codes", (1, 17, 0x32)),
        ("panicCodes: []", "panic_codes", ()),
        ("testDestruction: true", "test_destruction", True),
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
    default = CampaignConfig()
    names = [each.name for each in fields(CampaignConfig)]
    changed = {n for n in names if getattr(campaign, n) != getattr(default, n)}
    assert changed <= {field}
    stored = json.loads(json.dumps(campaign.to_json()))
    assert CampaignConfig.from_json(stored) == campaign


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
        ("climbing: 'true'\n", "must be true or false, without quotes, not `true`."),
        ("climbing: 'maybe'\n", "must be true or false, not `maybe`."),
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
        (
            "testMode: overflows\n",
            (
                "`testMode` must be property, assertion, optimization, overflow, "
                "all (property, assertion, optimization), exploration or foundry, not `"
            ),
        ),
        ("testMode: all,overflow\n", "not `all,overflow`."),
        ("testMode: overflow,exploration\n", "not `overflow,exploration`."),
        ("testMode: []\n", "`testMode` must be property, assertion, optimization"),
        ("panicCodes: 0x01\n", "`panicCodes` must be a list of codes of panics from 0"),
        ("panicCodes: all\n", "`panicCodes` must be a list of codes of panics from 0"),
        ("panicCodes: [256]\n", "from 0 to 255, such as [0x01, 0x11], not [`256`]."),
        ("panicCodes: [-1]\n", "not [`-1`]."),
        ("panicCodes: [1, assert]\n", "not [`1`, `assert`]."),
        ("panicCodes: [true]\n", "`panicCodes` must be a list of codes of panics"),
        ("panicCodes: [[1]]\n", "`panicCodes` must be a list of codes of panics"),
        ("optimizationPrefix: 12\n", "`optimizationPrefix` must be text; put it in"),
        ("testDestruction: 1\n", "`testDestruction` must be true or false, not `1`."),
        (
            "format: xml\n",
            "`format` must be one of text, json, none, github, not `xml`.",
        ),
        ("workers: -1\n", f"`workers` must be {NUMBER_OF_WORKERS}, not `-1`."),
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
    assert load.error("workers: 3\n", workers=-1) == (
        f"--workers must be {NUMBER_OF_WORKERS}, not `-1`."
    )
    assert "there is no key `worker`" in load.error("", worker=1)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load_config(tmp_path / "none.yaml")


def test_keys_that_do_nothing_are_told_with_their_lines(load: Loader) -> None:
    told = load(
        "checkAsserts: true\ndisableSlither: true\nsymExecTimeout: 31\n"
        "symExecMaxIters: 6\nsolcLibs: [Lib]\n"
    ).unhonoured
    path = load.path
    assert told == (
        f"{path}, line 1: Echidna has dropped `checkAsserts`; it does nothing.",
        f"{path}, line 3: `symExecTimeout` is not supported yet and does nothing.",
        f"{path}, line 4: `symExecMaxIters` is not supported yet and does nothing.",
    )


CHANGING = (
    "rpcBlock: 5\nseqLenn: 5\nrpcUrl: http://localhost\nzzzzzzzzz: 1\n"
    "workers: 4097\nsymExecMaxIters: 6\n"
)


def test_all_that_changes_what_is_tested_is_refused_at_once(load: Loader) -> None:
    path = load.path
    with pytest.raises(ConfigError) as caught:
        load(CHANGING)
    hint = "To go on without it, give --ignore-unsupported."
    assert caught.value.message.splitlines() == [
        f"{path}, line 1: `rpcBlock` is not supported yet. {hint}",
        f"{path}, line 2: there is no key `seqLenn`; did you mean `seqLen`? {hint}",
        f"{path}, line 3: `rpcUrl` is not supported yet. {hint}",
        f"{path}, line 4: there is no key `zzzzzzzzz`. {hint}",
        f"{path}, line 5: `workers` must be {NUMBER_OF_WORKERS}, not `4097`.",
    ]


def test_who_ignores_it_is_told_what_was_not_honoured(load: Loader) -> None:
    text = CHANGING.replace("4097", "0").replace("symExecMaxIters: 6\n", "")
    path = load.path
    path.write_text(text)
    loaded = load_config(path, ignore_unsupported=True)
    assert [told.partition(": ")[2] for told in loaded.unhonoured] == [
        "`rpcBlock` is not supported yet.",
        "there is no key `seqLenn`; did you mean `seqLen`?",
        "`rpcUrl` is not supported yet.",
        "there is no key `zzzzzzzzz`.",
    ]
    assert loaded.campaign.workers == CampaignConfig().workers


@pytest.mark.parametrize("key", [*REFUSED])
def test_the_default_of_echidna_is_no_wish(load: Loader, key: str) -> None:
    assert load(f"{key}: {json.dumps(REFUSED[key])}\n").unhonoured == ()


def test_the_world_is_read_as_echidna_and_medusa_write_it(load: Loader) -> None:
    config = load(
        'deployContracts: [["0x2000", "Token"], [0x2001, "A.sol:B"]]\n'
        'deployBytecodes: [["0x3000", "0x60Ff"]]\n'
        "constructorArgs:\n"
        "  Vault: {owner: DeployedContract:Token, fee: 1e16, deep: [{a: 0x10}, true]}\n"
        "  Token: '\"Gold\", 18'\n"
        "codeSize: 0xffffffffff\n"
    ).campaign
    assert config.deploy_contracts == ((0x2000, "Token"), (0x2001, "A.sol:B"))
    assert config.deploy_bytecodes == ((0x3000, "60ff"),)
    given = {name: json.loads(text) for name, text in config.constructor_args}
    assert given == {
        "Token": '"Gold", 18',
        "Vault": {
            "owner": "DeployedContract:Token",
            "fee": "1E+16",
            "deep": [{"a": 16}, True],
        },
    }
    assert config.code_size == 0xFFFFFFFFFF
    assert CampaignConfig.from_json(json.loads(json.dumps(config.to_json()))) == config


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("deployContracts: [Token]\n", 'must be a list of ["0x…", "Name"]'),
        ("deployContracts: [['0x5', A]]\n", "an address that no precompiled contract"),
        ("deployBytecodes: [['0x2000', 'xyz']]\n", "creation code in hex, in quotes"),
        ("constructorArgs: [1]\n", "must be a mapping from contracts to their arg"),
    ],
)
def test_a_world_that_can_not_be_read_is_refused(load, text, message) -> None:
    assert message in load.error(text)


def test_arguments_of_crytic_compile_are_read(load: Loader) -> None:
    loaded = load(
        "cryticArgs: ['--foundry-compile-all', "
        "'--compile-libraries=(Low,0x11111),(High, 0x22222)', '--solc-remaps', "
        "'a=b c=d', '--solc-args=--optimize', '--foundry-deny never']\n"
        "solcArgs: --via-ir\n"
    )
    assert loaded.campaign.libraries == (("Low", 0x11111), ("High", 0x22222))
    assert loaded.solc_args == "a=b c=d --optimize --via-ir"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[--compile-custom-build=make]", "holds --compile-custom-build, which is not"),
        ("[--compile-force-framework, truffle]", "holds --compile-force-framework, wh"),
        ("[--foundry-compile-al]", "'--foundry-compile-al', which crytic-compile does"),
        ("[--foundry-compile-al]", "not know (did you mean --foundry-compile-all?)."),
        ("[--compile-libraries=Low]", "`--compile-libraries=(Name,0xADDRESS),…` with"),
        ("[--solc-args]", "--solc-args has no value"),
        ("--foundry-compile-all", "a list of arguments, as"),
    ],
)
def test_arguments_that_would_compile_otherwise_are_refused(load, text, message):
    assert message in load.error(f"cryticArgs: {text}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        "[--compile-force-framework, solc]",
        "[--compile-force-framework=foundry]",
        "['--compile-force-framework hardhat', --compile-autolink]",
        "[--hardhat-ignore-compile, --hardhat-cache-directory, c]",
        "[--hardhat-artifacts-directory=a, --foundry-out-directory, o]",
        "[--foundry-build-info-directory, o/b, --foundry-deny, never, --skip-clean]",
        "[--solc-solcs-select, '0.8.26', --solc-standard-json, --solc-working-dir=.]",
    ],
)
def test_arguments_that_change_nothing_here_are_taken(load: Loader, arguments: str):
    loaded = load(f"cryticArgs: {arguments}\n")
    assert (loaded.campaign, loaded.solc_args, loaded.unhonoured) == (
        CampaignConfig(),
        "",
        (),
    )


def test_all_arguments_that_do_not_work_are_told_with_the_rest(load: Loader) -> None:
    text = (
        "cryticArgs: [--solc-working-dir, w, --solc, s, --no-such x, "
        "'--compile-libraries=(L,0x1234)']\nseqLn: 5\n"
    )
    with pytest.raises(ConfigError) as caught:
        load(text)
    lines = caught.value.message.splitlines()
    assert [line.partition(": ")[2].partition(",")[0][:42] for line in lines] == [
        "there is no key `seqLn`; did you mean `seqLen`?"[:42],
        "`cryticArgs` holds --solc-working-dir",
        "`cryticArgs` holds --solc",
        "`cryticArgs` holds '--no-such'",
    ]
    loaded = load_config(load.path, ignore_unsupported=True)
    assert len(loaded.unsupported) == 4
    assert loaded.campaign.libraries == (("L", 0x1234),)


def test_supported_keys_name_fields_that_exist() -> None:
    owners = {"campaign": CampaignConfig, "options": RunOptions, "loaded": LoadedConfig}
    for key in SUPPORTED:
        assert key.field in owners[key.owner].__slots__
    fields = {key.field for key in SUPPORTED if key.owner != "loaded"}
    wanted = {*CampaignConfig.__slots__, *RunOptions.__slots__}
    # `cryticArgs` name libraries, and --ignore-unsupported is no key.
    # Which tests a campaign has, and their runs, say names and comments.
    wanted -= {"seed", "libraries", "ignore_refused", "tests", "test_runs"}
    # Of a budget that nobody gave.
    wanted -= {"longer_rounds"}
    # Otherwise only in campaigns from before them.
    wanted -= {"coupled_shrinking", "solver_patience", "solved_events"}
    assert fields == wanted


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 1000))
def test_shares_in_thousandths_are_exact(load: Loader, thousandths: int) -> None:
    text = f"{thousandths // 1000}.{thousandths % 1000:03d}"
    assert load(f"dictFreq: {text}").campaign.dict_freq == thousandths


LINES = st.one_of(
    st.builds(
        "{}: {}".format,
        st.sampled_from([key.name for key in SUPPORTED] + list(REFUSED | IGNORED)),
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


@pytest.mark.parametrize(
    ("text", "formats"),
    [
        ("coverageFormats: null", None),
        ("coverageFormats: []", ()),
        ("coverageFormats: [lcov, txt, lcov]", ("txt", "lcov")),
        ("coverageFormats: html, txt", ("txt", "html")),
        ("coverageFormats: [lcov, text]", ("txt", "lcov")),
    ],
)
def test_coverage_formats_are_told_apart(load: Loader, text: str, formats) -> None:
    assert load(text).options.coverage_formats == formats
