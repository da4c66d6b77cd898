"""The path of frames on which a deployment failed, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eth_hash.auto import keccak

from echidna_mcp.abi.function import functions_of
from echidna_mcp.abi.revert import revert_reason
from echidna_mcp.evm.backend import FrameResult, Status
from echidna_mcp.program.identity import CodeIndex
from echidna_mcp.program.model import Contract
from echidna_mcp.program.target import FuzzTarget

_MOST_FRAMES = 12


def failure_path(frames: Sequence[FrameResult], target: FuzzTarget) -> str:
    """Return the frames from the message down to the one where its failure began.

    Each is a contract and a function: `World.constructor() > Vault.open(): it reverted
    (not today)`. Empty if it began in the first one.
    """
    path = failing_frames(frames)
    if len(path) < 2:
        return ""
    index = CodeIndex(target.program)
    names = [_name(frame, index, target.program.named) for frame in path]
    if len(names) > _MOST_FRAMES:
        names[_MOST_FRAMES // 2 : -_MOST_FRAMES // 2] = ["…"]
    return f"{' > '.join(names)}: {ending(path[-1].status, path[-1].output, target)}"


def failing_frames(frames: Sequence[FrameResult]) -> list[FrameResult]:
    """Return the frame of the message and, below it, those that its failure is from.

    Args:
        frames: in the order in which they began.
    """
    path: list[FrameResult] = []
    rest = list(frames)
    # Who has another thing to say than the last frame that it made has failed itself.
    while rest and not rest[0].status.succeeded:
        if path and rest[0].output != path[-1].output:
            break
        path.append(rest[0])
        depth = rest[0].depth + 1
        children = [at for at, frame in enumerate(rest) if frame.depth == depth]
        rest = rest[children[-1] :] if children else []
    return path


def ending(status: Status, output: bytes, target: FuzzTarget) -> str:
    """Return how a message or frame failed, in words."""
    if status is Status.REVERT:
        reason = revert_reason(output, target.errors)
        return f"it reverted ({reason or 'no reason given'})"
    return f"it ended with {status.name}"


def _name(
    frame: FrameResult, index: CodeIndex, contracts: Mapping[str, Contract]
) -> str:
    key = index.key(keccak(frame.code), frame.code)
    contract = contracts.get(key.rpartition("/")[0])
    if contract is None:
        return f"0x{frame.address:040x}"
    if frame.creates:
        return f"{contract.name}.constructor()"
    for function in functions_of(contract.abi):
        if function.kind == "function" and function.selector == frame.data:
            return f"{contract.name}.{function.signature}"
    return f"{contract.name}.fallback()"
