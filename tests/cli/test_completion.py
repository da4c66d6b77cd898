"""Shells complete commands, options and values; asked of a real bash."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys

import pytest
from command_line import RETURN_FALSE, SMALL, artifact, invoke

from echidna_mcp.cli.main import cli

BASH = shutil.which("bash")
needs_bash = pytest.mark.skipif(BASH is None, reason="there is no bash")

ASK = """
source /dev/stdin <<< "$SCRIPT"
compopt() { printf '<%s>\\n' "$2"; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_echidna_mcp_completion "$1" "${COMP_WORDS[COMP_CWORD]}"
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def script():
    done = invoke("completion", "bash")
    assert done.code == 0
    return done.out


@pytest.fixture
def complete(tmp_path, script):
    """Return a function that asks bash what may come next."""
    program = tmp_path / "bin" / "echidna-mcp"
    program.parent.mkdir()
    program.write_text(
        f"#!{BASH}\n"
        f'exec {shlex.quote(sys.executable)} -c "import sys; '
        "sys.argv[0] = 'echidna-mcp'; "
        'from echidna_mcp.cli.entry import main; main()" "$@"\n'
    )
    program.chmod(0o755)

    def ask(*words: str) -> set[str]:
        done = subprocess.run(
            [BASH, "-c", ASK, "bash", str(program), *words],
            env={**os.environ, "SCRIPT": script},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        assert done.stderr == ""
        return set(done.stdout.splitlines())

    return ask


@needs_bash
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("ru",), {"run"}),
        (("corpus", "m"), {"minimize", "merge"}),
        (("run", "--test-l"), {"--test-limit"}),
        (("run", "--trace", ""), {"failures", "all", "none"}),
        (("run", "--test-mode", "prop"), {"property"}),
        (("run", "--test-mode", "property,as"), {"property,assertion"}),
        (("run", "--evm-version", "pra"), {"prague"}),
        (("run", "--backend", "py"), {"py-evm"}),
        (("config", "claude-"), {"claude-code", "claude-desktop"}),
        (("completion", ""), {"bash", "zsh", "fish"}),
        (("show", ""), {"<dirnames>"}),
        (("list", "any"), {"<dirnames>"}),
        (("show", "no-such-directory", ""), set()),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bash_completes(complete, words, found):
    assert complete(*words) == found


@needs_bash
def test_bash_completes_every_command(complete):
    assert complete("") == set(cli.commands)


@needs_bash
def test_bash_completes_campaigns_findings_and_sequences(complete, tmp_path):
    target = artifact(tmp_path / "T.json", runtime=RETURN_FALSE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        assert invoke("run", target, *SMALL, "--seed", 1).code == 1
    (campaign,) = complete("show", "")
    assert (tmp_path / campaign / "campaign.db").is_file()
    found = complete("export", campaign, "")
    assert {"echidna_holds", "corpus"} < found
    (finding,) = found - {"echidna_holds", "corpus"}
    assert invoke("export", tmp_path / campaign, finding).code == 0
    assert complete("show", campaign, "echidna") == {"echidna_holds"}
    numbers = complete("show", campaign, "corpus", "")
    assert "0" in numbers
    assert complete("show", campaign, "corpus", "0", "") == set()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_of_the_shell_and_its_place_is_told(shell):
    done = invoke("completion", shell)
    assert done.code == 0
    assert f"_ECHIDNA_MCP_COMPLETE={shell}_complete" in done.out
    assert "echidna-mcp" in done.err.splitlines()[0]


def test_an_unknown_shell_is_refused():
    assert "'powershell' is not" in invoke("completion", "powershell").refusal()
