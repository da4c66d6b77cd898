"""The tools of the family `circular` (`docs/circular.md`).

Contracts: `contracts/circular`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from echidna_mcp.catalogue.devnet import Devnet
from echidna_mcp.errors import EchidnaMcpError, UsageError
from echidna_mcp.plugins import hookimpl
from echidna_mcp.user_data import default_data_directory
from echidna_mcp_plugins.circular._generated import tools as generated
from echidna_mcp_plugins.circular.database import InUseError
from echidna_mcp_plugins.circular.errors import CircularError
from echidna_mcp_plugins.circular.family.rendering import CIRCULAR_ERRORS, RETRY
from echidna_mcp_plugins.circular.settings import DISCOVERY, Settings
from echidna_mcp_plugins.circular.tools.certify_data import certify_data
from echidna_mcp_plugins.circular.tools.get_certification_proof import (
    get_certification_proof,
)
from echidna_mcp_plugins.circular.tools.get_transaction_status import (
    get_transaction_status,
)
from echidna_mcp_plugins.circular.tools.get_wallet_nonce import get_wallet_nonce
from echidna_mcp_plugins.circular.tools.outcome import Outcome
from echidna_mcp_plugins.circular.tools.session import Session, open_session

if TYPE_CHECKING:
    from pathlib import Path

    from echidna_mcp.catalogue.devnet import Ready
    from echidna_mcp.tools.rendering import ErrorRenderer
    from echidna_mcp.tools.tool import CallContext, Tool
    from echidna_mcp_plugins.circular._generated import inputs, outputs

DIRECTORY: Final = "data"
"""Where journal and devnet are, among the directories that tools were told of."""


class _RefusedError(EchidnaMcpError):
    """A call failed in one of the ten ways of the family."""

    def __init__(self, error: CircularError) -> None:
        super().__init__(error.message, **{RETRY: error.retry_suggestion})
        self.code = error.type.value


class CircularTools:
    """Handlers of the tools, and the session that they share once one is called."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._session: Session | None = None
        self._opening = asyncio.Lock()

    def tools(self) -> tuple[Tool, ...]:
        """Return the tools with their handlers."""
        return (
            generated.get_wallet_nonce_tool(self.wallet_nonce),
            generated.certify_data_tool(self.certify),
            generated.get_transaction_status_tool(self.status),
            generated.get_certification_proof_tool(self.proof),
        )

    async def wallet_nonce(
        self, args: inputs.GetWalletNonceInput, context: CallContext
    ) -> outputs.GetWalletNonceOutput:
        """Return the nonce that comes next."""
        session = await self._open(context)
        call = get_wallet_nonce(
            session, wallet_address=args.wallet_address, network=args.network
        )
        result = await _answer(session, args.network, call, context)
        return cast("outputs.GetWalletNonceOutput", result)

    async def certify(
        self, args: inputs.CertifyDataInput, context: CallContext
    ) -> outputs.CertifyDataOutput:
        """Certify; the client's key of the call is that of the certification."""
        session = await self._open(context)
        call = certify_data(
            session,
            data=args.data,
            network=args.network,
            wallet_address=args.wallet_address,
            idempotency_key=context.key,
        )
        return cast(
            "outputs.CertifyDataOutput",
            await _answer(session, args.network, call, context),
        )

    async def status(
        self, args: inputs.GetTransactionStatusInput, context: CallContext
    ) -> outputs.GetTransactionStatusOutput:
        """Return how far a transaction is; wait for its execution if asked."""
        session = await self._open(context)
        call = get_transaction_status(
            session,
            transaction_id=args.transaction_id,
            network=args.network,
            wait_for_execution=args.wait_for_execution,
            progress=context.progress,
        )
        result = await _answer(session, args.network, call, context)
        return cast("outputs.GetTransactionStatusOutput", result)

    async def proof(
        self, args: inputs.GetCertificationProofInput, context: CallContext
    ) -> outputs.GetCertificationProofOutput:
        """Return what proves a certification."""
        session = await self._open(context)
        call = get_certification_proof(
            session,
            transaction_id=args.transaction_id,
            network=args.network,
            include_data=args.include_data,
        )
        result = await _answer(session, args.network, call, context)
        return cast("outputs.GetCertificationProofOutput", result)

    async def _open(self, context: CallContext) -> Session:
        """Return the session; the first call opens it, and the devnet if need be."""
        async with self._opening:
            try:
                if self._session is None:
                    directory = context.directories.get(DIRECTORY)
                    directory = directory or default_data_directory("circular")
                    opened = open_session(self._settings, directory)
                    enter = context.lifetime.enter_async_context
                    self._session = await enter(opened)
                await self._session.follow_devnet()
            except CircularError as error:
                raise _RefusedError(error) from error
            return self._session


async def _answer(
    session: Session, network: str, call: Awaitable[Outcome], context: CallContext
) -> dict[str, Any]:
    """Return the result of an operation; what goes beside it becomes metadata."""
    try:
        outcome = await call
    except CircularError as error:
        context.meta.update(error.meta())
        raise _RefusedError(error) from error
    finally:
        # Also of what failed, or was ended at its deadline: an agent must see that what
        # it does is on this machine only.
        backend = session.backend(network)
        if backend is not None:
            context.meta["backend"] = backend
    context.meta.update(outcome.meta)
    return outcome.result


@hookimpl
def register_tools() -> Sequence[Tool]:
    """Offer the tools (hook).

    Raises:
        UsageError: the configuration is wrong; who starts a server is told at once.
    """
    try:
        settings = Settings.from_environment(os.environ)
    except CircularError as error:
        raise UsageError(error.message) from error
    return CircularTools(settings).tools()


def _run_devnet(
    host: str, port: int, directory: Path, block_seconds: float, ready: Ready
) -> None:
    # Servers of tools do without, unless nothing is configured.
    from echidna_mcp_plugins.circular.devnet.address import (  # noqa: PLC0415
        read_address,
    )
    from echidna_mcp_plugins.circular.devnet.options import (  # noqa: PLC0415
        FOLDER,
        DevnetOptions,
    )
    from echidna_mcp_plugins.circular.devnet.server import run  # noqa: PLC0415

    place = directory / FOLDER  # Where a server with nothing configured has its own.
    try:
        run(
            host,
            port,
            place,
            options=DevnetOptions(block_seconds=block_seconds),
            ready=lambda devnet: ready(
                devnet.url, f"export {DISCOVERY}={devnet.discovery}"
            ),
        )
    except InUseError as error:
        known = read_address(place)
        where = "" if known is None else f", at {known.discovery}"
        raise UsageError(
            f"Another process serves the devnet in {place} already{where}: use that"
            " one, stop it, or choose another --data-dir."
        ) from error


@hookimpl
def register_devnets() -> Sequence[Devnet]:
    """Offer the devnet (hook)."""
    return (Devnet("circular", _run_devnet),)


@hookimpl
def register_error_renderers() -> Sequence[ErrorRenderer]:
    """Offer how their failures look (hook)."""
    return (CIRCULAR_ERRORS,)
