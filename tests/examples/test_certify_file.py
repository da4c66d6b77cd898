"""The example that certifies a file gives a proof of the file's digest."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys

from wheels import ROOT

SCRIPT = ROOT / "examples" / "certify-file" / "certify_file.py"


def test_the_proof_holds_the_digest_of_the_file(tmp_path):
    file = tmp_path / "report.txt"
    file.write_text("The vault can be drained.")
    done = subprocess.run(
        [sys.executable, SCRIPT, file],
        cwd=tmp_path,
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    proof = json.loads(done.stdout)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert bytes.fromhex(proof["certified_data"]).decode() == f"sha256:{digest}"
    assert proof["block_id"]
    assert (tmp_path / "data" / "echidna-mcp" / "circular").is_dir()
