"""What it costs that many contracts are called.

Twenty tokens beside one: the same functions, each token with code of its own. Both
campaigns have the property of the first token, and run in turn. Calls a second of
processor time are compared.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import campaign_loop

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.rounds.exploration import explored_target
from echidna_mcp_plugins.compilers.solidity.npm_solc import find_package
from echidna_mcp_plugins.compilers.solidity.solcjs import SolcJs

TOKENS = 20
SECONDS = 6.0
PAIRS = 5
BENCH = Path(__file__).parent

TOKEN = """
contract Token{number} {{
    mapping(address => uint) public balance; uint public total;
    function mint(address to, uint128 n) external {{ balance[to] += n; total += n; }}
    function burn(uint128 n) external {{ balance[msg.sender] -= n; total -= n; }}
    function send(address to, uint128 n) external {{
        require(to != address(0)); balance[msg.sender] -= n; balance[to] += n;
    }}
    function id() external pure returns (uint) {{ return {number}; }}
}}
"""
WORLD = """
contract World {{
    {tokens}
    function echidna_total() external view returns (bool) {{
        return token0.total() >= token0.balance(msg.sender);
    }}
}}
"""


def source_of(count: int) -> str:
    """Return a contract that deploys so many tokens."""
    tokens = (f"Token{n} token{n} = new Token{n}();" for n in range(count))
    kinds = (TOKEN.format(number=number) for number in range(count))
    return "".join(kinds) + WORLD.format(tokens=" ".join(tokens))


def rate(count: int) -> float:
    """Return calls per second of processor time with so many tokens."""
    manager = PluginManager.load()
    native = manager.backends["native"]
    config = CampaignConfig(
        all_contracts=True, exclude_view_pure=True, test_limit=None, seed=1
    )
    with tempfile.TemporaryDirectory(dir=BENCH) as directory:
        path = Path(directory, "World.sol")
        path.write_text(source_of(count))
        program = SolcJs().compile(CompileRequest(target=path, contract="World"))
    target = explored_target(program, config, native)
    assert len(target.functions) == 3 * count, "each token is called"
    return campaign_loop.measure(
        program,
        config,
        native,
        make_executor(manager.executors, "threads:1"),
        seconds=SECONDS,
        world=target.world,
    ).processor


def main() -> None:
    """Print the figures."""
    if find_package(BENCH) is None:
        print("absent: run `npm install --prefix tests` first")
        return
    print(f"Calls per second of processor time, one token and {TOKENS}")
    pairs = [(rate(1), rate(TOKENS)) for _ in range(PAIRS)]
    for one, many in pairs:
        print(f"  {one:10,.0f} {many:10,.0f}  ratio {many / one:.2f}")
    print(f"  median of the ratios {sorted(b / a for a, b in pairs)[PAIRS // 2]:.2f}")


if __name__ == "__main__":
    main()
