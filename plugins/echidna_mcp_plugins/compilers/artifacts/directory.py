"""Directories of artifacts: `out` of foundry, `artifacts` of hardhat.

Each contract has a file. What a build-info file knows of it, with syntax trees and
sources, comes before what the file itself knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from echidna_mcp.errors import TargetError
from echidna_mcp.program.main_contract import is_dependency
from echidna_mcp_plugins.compilers.artifacts.build_info import (
    BuildInfo,
    read_build_infos,
    source_path,
)
from echidna_mcp_plugins.compilers.artifacts.sources import (
    SourcesBeside,
    embedded_texts,
    source_hashes,
    text_hashes,
)
from echidna_mcp_plugins.compilers.artifacts.stored import StoredContract, read_stored
from echidna_mcp_plugins.compilers.bounded_json import read_json
from echidna_mcp_plugins.compilers.fence import is_file
from echidna_mcp_plugins.compilers.files import MOST_SOURCES, read_bytes, refuse_name
from echidna_mcp_plugins.compilers.solidity.choice import Part
from echidna_mcp_plugins.compilers.solidity.metadata import compiler_of, metadata_of
from echidna_mcp_plugins.compilers.solidity.standard_json import (
    StandardOutput,
    build_of,
)

_MOST_BYTES = 512 << 20
_TREE = b'"SourceUnit"'
"""The type of the root of each syntax tree."""
_SIGNS = ("*.sol/*.json", "contracts/**/*.sol/*.json", "build-info/*.json")


def is_artifact_directory(directory: Path) -> bool:
    """Whether `directory` has the layout of foundry's or hardhat's."""
    return any(any(directory.glob(sign)) for sign in _SIGNS)


def directory_files(directory: Path) -> list[Path]:
    """Return the artifacts and build-info files of a directory, in order."""
    return [*_contract_files(directory), *sorted(directory.glob("build-info/*.json"))]


def _contract_files(directory: Path) -> list[Path]:
    files = directory.glob("**/*.sol/*.json")
    return sorted(file for file in files if not file.name.endswith(".dbg.json"))


def may_have_syntax_trees(directory: Path) -> bool:
    """Whether artifacts seem to hold syntax trees; they are not parsed for that.

    Raises:
        TargetError: a file can't be read.
    """
    infos = sorted(directory.glob("build-info/*.json"))
    files = [*infos, *_contract_files(directory)[:1]]
    return any(_TREE in read_bytes(file, _MOST_BYTES) for file in files)


def read_directory(directory: Path, beside: SourcesBeside) -> list[Part]:
    """Return the compilations that the artifacts of `directory` come from.

    Raises:
        TargetError: a file can't be read, or a source was changed since.
    """
    _check_files(directory, beside)
    stored = [a for file in _contract_files(directory) if (a := read_stored(file))]
    infos = read_build_infos(directory)
    parts = []
    left = stored
    for info in infos:
        own = [a for a in left if not stored or _holds(info, a)]
        if own or not stored:
            parts.append(_part(directory, info, own, beside))
        taken = set(map(id, own))
        left = [a for a in left if id(a) not in taken]
    if left:
        parts.append(one_compilation(directory, left, beside))
    return parts


def _check_files(directory: Path, beside: SourcesBeside) -> None:
    fence = beside.fence(directory)
    files = directory_files(directory)
    size = 0
    for file in files:
        refuse_name(file)
        fence.check(file, str(file))
        size += file.stat().st_size if is_file(file) else 0
    if size > _MOST_BYTES or len(files) > MOST_SOURCES:
        raise TargetError(
            f"The artifacts in {directory} are more than {MOST_SOURCES} files or "
            f"{_MOST_BYTES >> 20} MiB; give one of them."
        )


def _holds(info: BuildInfo, artifact: StoredContract) -> bool:
    """Whether a contract is just so in the output of a compilation."""
    entry = info.output["contracts"].get(artifact.path, {}).get(artifact.name)
    if entry is None:
        return False
    code = entry.get("evm", {}).get("bytecode", {}).get("object", "")
    return str(code).removeprefix("0x") == artifact.creation


def _part(
    directory: Path,
    info: BuildInfo,
    artifacts: Sequence[StoredContract],
    beside: SourcesBeside,
) -> Part:
    contracts = info.output["contracts"]
    entries = [contracts[a.path][a.name] for a in artifacts]
    hashes = {source_path(p): h for p, h in source_hashes(entries).items()}
    if not hashes:  # hardhat 3 asks for no metadata
        texts = info.texts.items()
        hashes = text_hashes({p: text for p, text in texts if not is_dependency(p)})
    beside.texts(directory, hashes, hashes)  # what was changed since is refused
    own = {a.path for a in artifacts} or set(contracts)
    build = build_of(info.standard_output(), directory)
    wanted = frozenset(path for path in own if not is_dependency(path))
    return Part(build, wanted, frozenset(hashes))


def one_compilation(
    directory: Path, artifacts: Sequence[StoredContract], beside: SourcesBeside
) -> Part:
    """Return artifacts as one compilation; sources are looked for near `directory`.

    Source numbers on which artifacts disagree (they come from several builds) are left
    out, so that no line is reported wrongly.

    Raises:
        TargetError: a source was changed since.
    """
    entries = [artifact.entry for artifact in artifacts]
    contracts: dict[str, dict[str, object]] = {}
    for artifact in artifacts:
        contracts.setdefault(artifact.path, {})[artifact.name] = {
            "abi": artifact.entry["abi"],
            "metadata": metadata_of(artifact.entry),
            "storageLayout": artifact.entry.get("storageLayout"),
            "evm": {
                "bytecode": artifact.entry["bytecode"],
                "deployedBytecode": artifact.entry.get("deployedBytecode", {}),
            },
        }
    numbers = dict(_agreed(_numbers(directory, artifacts)))
    hashes = source_hashes(entries)
    paths = {*hashes, *contracts, *numbers.values()}
    texts = embedded_texts(*(metadata_of(e).get("sources", {}) for e in entries))
    output = StandardOutput(
        contracts=contracts,
        trees={a.path: a.entry["ast"] for a in artifacts if a.entry.get("ast")},
        numbers=numbers,
        texts=beside.texts(directory, paths, hashes) | texts,
        compiler=compiler_of(entries),
    )
    own = frozenset(path for path in contracts if not is_dependency(path))
    return Part(build_of(output, directory), own, frozenset(hashes))


def _numbers(
    directory: Path, artifacts: Sequence[StoredContract]
) -> Iterator[tuple[int, str]]:
    for artifact in artifacts:
        number = artifact.entry.get("id")
        if isinstance(number, int):
            yield number, artifact.path
    for file in sorted(directory.glob("build-info/*.json")):
        try:
            known = read_json(file).get("source_id_to_path", {})
        except (TargetError, AttributeError):
            continue  # a help for imported files only
        for number, path in known.items():
            yield int(number), path


def _agreed(numbers: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    claims: dict[int, set[str]] = {}
    for number, path in numbers:
        claims.setdefault(number, set()).add(path)
    for number, paths in claims.items():
        if len(paths) == 1:
            yield number, paths.pop()
