"""The path of frames on which a deployment failed, for people."""

from __future__ import annotations

from collections.abc import Mapping

from eth_hash.auto import keccak

from echidna_mcp.abi.function import functions_of
from echidna_mcp.abi.revert import revert_reason
from echidna_mcp.evm.backend import Status
from echidna_mcp.evm.frames import FrameResult
from echidna_mcp.program.identity import CodeIndex
from echidna_mcp.program.model import Contract
from echidna_mcp.program.target import FuzzTarget

_MOST_FRAMES = 12


def failure_path(frame: FrameResult | None, target: FuzzTarget) -> str:
    """Return the frames from the message down to the one where its failure began.

    Each is a contract and a function: `World.constructor() > Vault.open(): it reverted
    (not today)`. Empty if it began in the first one.
    """
    path = failing_frames(frame)
    if len(path) < 2:
        return ""
    index = CodeIndex(target.program)
    names = [_name(each, index, target.program.named) for each in path]
    if len(names) > _MOST_FRAMES:
        names[_MOST_FRAMES // 2 : -_MOST_FRAMES // 2] = ["…"]
    return f"{' > '.join(names)}: {ending(path[-1].status, path[-1].output, target)}"


def failing_frames(frame: FrameResult | None) -> list[FrameResult]:
    """Return the frame of a message and, below it, those that its failure is from.

    What was answered without running code is not among them.
    """
    path: list[FrameResult] = []
    # Who has another thing to say than the last frame that it made has failed itself.
    while frame is not None and not frame.status.succeeded:
        if path and frame.output != path[-1].output:
            break
        path.append(frame)
        ran = [each for each in frame.children if not each.answered]
        frame = ran[-1] if ran else None
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
        if function.kind == "function" and function.selector == frame.data[:4]:
            return f"{contract.name}.{function.signature}"
    return f"{contract.name}.fallback()"
