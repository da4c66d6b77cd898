"""Nothing outside the project, its libraries and --allow-paths is read."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from solc import require_solc

from echidna_mcp.errors import CompilationError, EchidnaMcpError, TargetError
from echidna_mcp.program.compiler import CompileRequest, CompilerPlugin
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.artifacts.artifact import Artifact
from echidna_mcp_plugins.compilers.solidity.solc import Solc
from echidna_mcp_plugins.compilers.solidity.solcjs import SolcJs
from echidna_mcp_plugins.compilers.vyper.compiler import Vyper

SECRET = "contract Secret { string constant KEY = 'hunter2'; }"


@pytest.fixture(autouse=True)
def _own_cache(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECHIDNA_MCP_CACHE", str(tmp_path / "cache"))
    if request.node.get_closest_marker("solc"):
        require_solc()


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file beside the project."""
    return write(tmp_path / "x" / "Secret.sol", SECRET)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a configuration file."""
    write(tmp_path / "p" / "foundry.toml", "")
    return tmp_path / "p"


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def compile_with(
    compiler: CompilerPlugin, target: Path, *allowed: Path, solc_args: str = ""
) -> Program:
    request = CompileRequest(target=target, allow_paths=allowed, solc_args=solc_args)
    return compiler.compile(request)


def solcjs(target: Path, *allowed: Path, solc_args: str = "") -> Program:
    require_solc()
    return compile_with(SolcJs(), target, *allowed, solc_args=solc_args)


def refused(compiler: CompilerPlugin, target: Path, **request: Any) -> str:
    """Return the sentence of the refusal, which tells nothing of the secret."""
    with pytest.raises(TargetError) as caught:
        compiler.compile(CompileRequest(target=target, **request))
    assert "hunter2" not in caught.value.message
    return caught.value.message


@pytest.mark.solc
def test_import_that_leaves_the_project_is_refused_unless_allowed(
    project: Path, secret: Path
):
    target = write(
        project / "src" / "A.sol",
        '\nimport "../../x/Secret.sol"; contract A is Secret {}',
    )
    assert refused(SolcJs(), target) == (
        f"src/A.sol:2: the import '../../x/Secret.sol' leads to {secret}, outside the "
        f"project {project}; if it may be read, give --allow-paths {secret.parent}."
    )
    assert SECRET in [s.content for s in solcjs(target, secret.parent).sources]
    assert SECRET in [s.content for s in solcjs(target, secret).sources]


@pytest.mark.solc
def test_whether_there_is_a_file_outside_is_not_told(project: Path, secret: Path):
    target = write(project / "A.sol", f'import "{secret}"; contract A {{}}')
    there = refused(SolcJs(), target)
    secret.unlink()
    assert refused(SolcJs(), target) == there
    write(target, 'import "a/../../../../nowhere/B.sol"; contract A {}')
    assert "the import 'a/../../../../nowhere/B.sol' leads to" in refused(
        SolcJs(), target
    )


@pytest.mark.solc
@pytest.mark.parametrize("link", ["lib", "lib/dep", "lib/dep/Secret.sol"])
def test_links_in_the_project_that_lead_outside_are_refused(
    project: Path, secret: Path, tmp_path: Path, link: str
):
    write(tmp_path / "x" / "dep" / "Secret.sol", SECRET)
    write(tmp_path / "x" / "Secret.sol", SECRET)
    source = 'import "./lib/dep/Secret.sol"; contract A is Secret {}'
    target = write(project / "A.sol", source)
    depth = tmp_path / "x" if link.endswith("lib") else tmp_path / "x" / "dep"
    place = project / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(secret if link.endswith(".sol") else depth)
    text = refused(SolcJs(), target)
    assert text.startswith("A.sol:1: the import './lib/dep/Secret.sol' leads to")
    assert "outside the project" in text
    assert solcjs(target, tmp_path / "x").main == "A.sol:A"


@pytest.mark.solc
def test_link_that_is_the_target_or_lies_in_its_directory_is_refused(
    project: Path, secret: Path
):
    (project / "A.sol").symlink_to(secret)
    assert f"{project}/A.sol leads to {secret}" in refused(SolcJs(), project / "A.sol")
    assert f"{project}/A.sol leads to {secret}" in refused(SolcJs(), project)


@pytest.mark.solc
def test_node_modules_that_are_a_link_are_no_libraries(project: Path, secret: Path):
    target = write(project / "A.sol", 'import "x/Secret.sol"; contract A is Secret {}')
    (project / "node_modules").symlink_to(secret.parents[1])
    assert "the import 'x/Secret.sol' leads to" in refused(SolcJs(), target)


@pytest.mark.solc
def test_node_modules_above_the_project_are_libraries(project: Path, tmp_path: Path):
    write(tmp_path / "node_modules" / "@o" / "B.sol", "contract B {}")
    target = write(project / "A.sol", 'import "@o/B.sol"; contract A is B {}')
    assert [s.path for s in solcjs(target).sources] == ["@o/B.sol", "A.sol"]


@pytest.mark.solc
@pytest.mark.parametrize("file", ["remappings.txt", "foundry.toml"])
def test_remappings_of_the_project_do_not_lead_out_of_it(
    project: Path, secret: Path, file: str
):
    target = write(project / "A.sol", 'import "s/Secret.sol"; contract A is Secret {}')
    line = f"s/={secret.parent}/"
    if file == "foundry.toml":
        line = f'[profile.default]\nremappings = ["{line}"]'
    write(project / file, line)
    text = refused(SolcJs(), target)
    assert "A.sol:1: the import 's/Secret.sol' leads to" in text
    assert solcjs(target, secret.parent).main == "A.sol:A"


@pytest.mark.solc
def test_what_the_arguments_of_solc_name_may_be_read(project: Path, secret: Path):
    target = write(project / "A.sol", 'import "s/Secret.sol"; contract A is Secret {}')
    remapping = f"s/={secret.parent}/"
    assert solcjs(target, solc_args=remapping).main == "A.sol:A"
    write(project / "remappings.txt", remapping)
    for option in ("--allow-paths", "--include-path"):
        assert solcjs(target, solc_args=f"{option} {secret.parent}").main == "A.sol:A"


@pytest.mark.solc
def test_sources_of_foundry_toml_do_not_lead_out_of_it(project: Path, secret: Path):
    write(project / "foundry.toml", f'[profile.default]\nsrc = "{secret.parent}"')
    text = refused(SolcJs(), project)
    assert f"foundry.toml: '{secret.parent}' leads to {secret.parent}" in text


@pytest.mark.solc
def test_settings_that_are_a_link_to_elsewhere_are_refused(
    project: Path, tmp_path: Path
):
    target = write(project / "A.sol", "contract A {}")
    (project / "remappings.txt").symlink_to(write(tmp_path / "other", "hunter2"))
    assert "remappings.txt leads to" in refused(SolcJs(), target)


@pytest.mark.solc
def test_dots_that_stay_inside_are_fine(project: Path):
    write(project / "lib" / "B.sol", "contract B {}")
    target = write(
        project / "src" / "deep" / "A.sol",
        'import "../../lib/B.sol"; import "../../lib/../lib/B.sol"; contract A is B {}',
    )
    assert [s.path for s in solcjs(target).sources] == ["lib/B.sol", "src/deep/A.sol"]


@pytest.mark.solc
@pytest.mark.parametrize("name", ["\\0", "a" * 5000, "../" * 3000 + "a", "é\u2028"])
def test_names_that_no_file_has_are_not_found(project: Path, name: str):
    name = name.replace("\\0", "\0")
    target = write(project / "A.sol", f'import "{name}"; contract A {{}}')
    with pytest.raises(EchidnaMcpError):
        solcjs(target)


@pytest.mark.solc
def test_import_behind_the_end_of_a_comment_is_seen(project: Path, secret: Path):
    # To Solidity a carriage return ends a line.
    target = project / "A.sol"
    target.write_bytes(b'// \rimport "../x/Secret.sol"; contract A is Secret {}')
    assert "the import '../x/Secret.sol' leads to" in refused(SolcJs(), target)


BINARY = """#!{node}
const fs = require('fs');
const solc = require({package!r});
const at = process.argv.indexOf('--allow-paths');
if (process.argv[2] === '--version') {{
  console.log('Version: 0.8.37+commit.f401782d.Linux.g++');
}} else {{
  const seen = [process.cwd(), process.argv[at + 1], fs.readdirSync('.').length];
  fs.writeFileSync({seen!r}, JSON.stringify(seen));
  process.stdout.write(solc.compile(fs.readFileSync(0, 'utf8')));
}}
"""


@pytest.mark.solc
def test_solc_itself_finds_nothing_to_read(project: Path, tmp_path: Path):
    require_solc()
    seen = tmp_path / "seen.json"
    node, package = shutil.which("node"), os.environ["SOLCJS"]
    binary = write(
        tmp_path / "solc", BINARY.format(node=node, package=package, seen=str(seen))
    )
    binary.chmod(0o755)
    target = write(project / "A.sol", "contract A {}")
    Solc().compile(CompileRequest(target=target, solc=binary))
    directory, allowed, files = json.loads(seen.read_text())
    assert directory == allowed
    assert files == 0
    assert not Path(directory).exists()


def artifact(file: Path, *sources: str) -> Path:
    """Write a standard JSON output whose contract has these sources."""
    code = {"object": "6001", "sourceMap": "", "linkReferences": {}}
    contract = {"abi": [], "evm": {"bytecode": code, "deployedBytecode": code}}
    numbered = {name: {"id": number} for number, name in enumerate(sources)}
    output = {"contracts": {"A.sol": {"A": contract}}, "sources": numbered}
    return write(file, json.dumps(output))


@pytest.mark.parametrize("name", ["../x/Secret.sol", "{tmp}/x/Secret.sol", "link.sol"])
@pytest.mark.parametrize("place", ["a.json", "out/a.json", "artifacts/b/a.json"])
def test_sources_of_an_artifact_outside_its_project_are_refused(
    tmp_path: Path, secret: Path, name: str, place: str
):
    (tmp_path / "p").mkdir()
    name = name.format(tmp=tmp_path)
    target = artifact(tmp_path / "p" / place, name)
    (target.parent / "link.sol").symlink_to(secret)
    text = refused(Artifact(), target)
    assert f"the source {name!r} leads to {secret}, outside the project" in text
    assert f"--allow-paths {secret.parent}" in text
    program = compile_with(Artifact(), target, secret.parent)
    assert SECRET in [source.content for source in program.sources]


def test_artifact_does_not_read_what_lies_above_its_project(
    tmp_path: Path, secret: Path
):
    target = artifact(tmp_path / "p" / "a.json", "x/Secret.sol")
    assert f"'x/Secret.sol' leads to {secret}" in refused(Artifact(), target)
    # `out` lies in a project, whose files are those of its artifacts.
    beside = artifact(tmp_path / "out" / "a.json", "x/Secret.sol")
    program = compile_with(Artifact(), beside)
    assert SECRET in [source.content for source in program.sources]


def test_source_of_an_artifact_that_is_nowhere_has_no_text(tmp_path: Path):
    target = artifact(tmp_path / "a.json", "/builds/ci/A.sol", "../../b\0.sol")
    program = compile_with(Artifact(), target)
    assert {source.content for source in program.sources} == {""}


def test_out_directory_does_not_lead_outside(project: Path, secret: Path):
    code = {"object": "0x6001", "sourceMap": ""}
    entry = {"abi": [], "bytecode": code, "deployedBytecode": code}
    entry["ast"] = {"absolutePath": "../x/Secret.sol", "src": "0:1:0", "nodes": []}
    file = write(project / "out" / "A.sol" / "A.json", json.dumps(entry))
    for target in (file, project / "out"):
        assert "'../x/Secret.sol' leads to" in refused(Artifact(), target)
    link = project / "out" / "A.sol" / "B.json"
    link.symlink_to(write(secret.parent / "B.json", json.dumps(entry)))
    assert "B.json leads to" in refused(Artifact(), project / "out")


VYPER_SECRET = "# hunter2\nX: constant(uint256) = 1\n"


@pytest.mark.parametrize(
    ("statement", "name"),
    [("from ..x import secret", "secret"), ("from b import secret", "secret")],
)
def test_vyper_import_that_leaves_the_project_is_refused(
    tmp_path: Path, statement: str, name: str
):
    outside = write(tmp_path / "x" / f"{name}.vy", VYPER_SECRET)
    target = write(tmp_path / "p" / "A.vy", f"{statement}\n@external\ndef f(): pass\n")
    (tmp_path / "p" / "b").symlink_to(outside.parent)
    text = refused(Vyper(), target)
    assert text == (
        f"A.vy:1: the import `{statement}` leads to {outside}, outside the project "
        f"{target.parent}; if it may be read, give --allow-paths {outside.parent}."
    )
    assert compile_with(Vyper(), target, outside.parent).main == "A.vy:A"


def test_vyper_reads_the_working_directory_only_if_it_is_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write(tmp_path / "secret.vy", VYPER_SECRET)
    source = "import secret\n@external\ndef f(): pass\n"
    target = write(tmp_path / "contracts" / "A.vy", source)
    monkeypatch.chdir(tmp_path)
    assert "A.vy:1: the import `import secret` leads to" in refused(Vyper(), target)
    write(tmp_path / "ape-config.yaml", "")
    assert compile_with(Vyper(), target).main == "A.vy:A"


def test_vyper_interface_that_is_a_link_to_json_elsewhere_is_refused(tmp_path: Path):
    outside = write(tmp_path / "x" / "key.json", '"hunter2"')
    source = "import key\n@external\ndef f(): pass\n"
    target = write(tmp_path / "p" / "A.vy", source)
    (tmp_path / "p" / "key.json").symlink_to(outside)
    assert "the import `import key` leads to" in refused(Vyper(), target)


def test_vyper_target_that_is_a_link_to_elsewhere_is_refused(tmp_path: Path):
    outside = write(tmp_path / "x" / "secret.vy", VYPER_SECRET)
    (tmp_path / "p").mkdir()
    target = tmp_path / "p" / "A.vy"
    target.symlink_to(outside)
    assert f"{target} leads to {outside}" in refused(Vyper(), target)


@pytest.mark.solc
def test_errors_of_the_compiler_quote_no_file_outside(project: Path, tmp_path: Path):
    key = write(tmp_path / "x" / "id_rsa", "hunter2 hunter2")
    for path in ("../x/id_rsa", str(key), "./key"):
        target = write(project / "A.sol", f'import "{path}"; contract A {{}}')
        if path == "./key":
            (project / "key").symlink_to(key)
        assert f"the import {path!r} leads to {key}" in refused(SolcJs(), target)
    with pytest.raises(CompilationError, match="can't be found"):
        solcjs(write(project / "B.sol", 'import "./nowhere.sol";'))
