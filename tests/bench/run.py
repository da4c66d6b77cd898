"""All benchmarks, in the order of docs/benchmarks.md."""

from __future__ import annotations

import bench_campaign
import bench_editor
import bench_feedback
import bench_growth
import bench_kernel
import bench_native
import bench_precompiles
import bench_properties
import bench_py_evm
import bench_reproducers
import bench_server
import bench_share
import bench_shrinking
import bench_store
import bench_suites
import bench_targets


def main() -> None:
    """Print every figure."""
    for title, part in (
        ("Kernels", bench_kernel),
        ("py-evm backend", bench_py_evm),
        ("Native backend", bench_native),
        ("Precompiles", bench_precompiles),
        ("Feedback", bench_feedback),
        ("Reproducers", bench_reproducers),
        ("Event store", bench_store),
        ("Campaigns", bench_campaign),
        ("Many targets", bench_targets),
        ("Many properties", bench_properties),
        ("Growth", bench_growth),
        ("Shrinking", bench_shrinking),
        ("Suites with handlers", bench_suites),
        ("Server", bench_server),
        ("Share", bench_share),
        ("Editor", bench_editor),
    ):
        print(f"\n== {title}", flush=True)
        part.main()


if __name__ == "__main__":
    main()
