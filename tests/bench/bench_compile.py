"""How long a project takes to compile at its first start and at the next ones.

Usage: `python tests/bench/bench_compile.py [TARGET]`; without one, OpenZeppelin's token
with votes and permits from `tests/node_modules`.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.program.compile import compile_target
from echidna_mcp.program.compiler import CompileRequest

_TESTS = Path(__file__).parents[1]
_SOURCE = """
import "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
contract Token is ERC20Votes, ERC20Permit {
    constructor() ERC20("Token", "T") ERC20Permit("Token") {}
    function _update(address from, address to, uint256 value)
        internal override(ERC20, ERC20Votes) { super._update(from, to, value); }
    function nonces(address owner)
        public view override(ERC20Permit, Nonces) returns (uint256) {
        return super.nonces(owner);
    }
}
"""
_STARTS = 5


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as directory:
        os.environ["ECHIDNA_MCP_CACHE"] = f"{directory}/cache"
        target = Path(sys.argv[1]) if sys.argv[1:] else _openzeppelin(Path(directory))
        compilers = tuple(PluginManager.load("default").compilers.values())
        allowed = (_TESTS / "node_modules",)
        digests = set()
        for number in range(1, _STARTS + 1):
            begin = time.perf_counter()
            request = CompileRequest(target=target, allow_paths=allowed)
            program = compile_target(request, compilers)
            seconds = time.perf_counter() - begin
            digests.add(program.digest)
            print(f"start {number}: {seconds:6.3f} s")
        assert len(digests) == 1, "another program"
        print(f"{len(program.sources)} sources, {len(program.contracts)} contracts")


def _openzeppelin(directory: Path) -> Path:
    os.environ.setdefault("SOLCJS", str(_TESTS / "node_modules" / "solc"))
    (directory / "remappings.txt").write_text(
        f"@openzeppelin/={_TESTS / 'node_modules' / '@openzeppelin'}/\n"
    )
    target = directory / "Token.sol"
    target.write_text(_SOURCE)
    return target


if __name__ == "__main__":
    main()
