"""From contract documents to typed stubs.

`python -m echidna_mcp_codegen` writes them; third-party packages use the same command
for their own documents.
"""

from echidna_mcp_codegen.generate import generate

__all__ = ["generate"]
