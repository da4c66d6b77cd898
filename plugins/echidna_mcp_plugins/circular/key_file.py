"""The key of a devnet's wallet, in a file that only its owner can read."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from echidna_mcp_plugins.circular.errors import invalid_input
from echidna_mcp_plugins.circular.keys import SigningKey, new_key
from echidna_mcp_plugins.circular.secret import Secret


def key_of(path: Path) -> Secret:
    """Return the key in a file; if there is none, one is made.

    Raises:
        CircularError: INVALID_INPUT, others may read the file, or it holds no key.
    """
    try:
        if not path.exists():
            _write(path)
        mode = path.stat().st_mode
        if sys.platform != "win32" and mode & 0o077:
            raise invalid_input(
                f"Others can read the key in {path}: take it away from them"
                f" (chmod 600), or delete it for a new one."
            )
        secret = Secret(path.read_text("ascii", errors="replace").strip())
    except OSError as error:
        raise invalid_input(
            f"The key file {path} can't be used ({error.strerror}): choose another"
            " directory."
        ) from error
    SigningKey(secret, f"What {path} holds")
    return secret


def _write(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Complete or not there: a key that is cut off would lose its wallet.
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(file, "w", encoding="ascii") as stream:
        stream.write(f"{new_key().reveal()}\n")
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)
