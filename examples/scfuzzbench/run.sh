#!/usr/bin/env bash
# Runs echidna-mcp on a target of scfuzzbench. What every fuzzer does alike (clone, build,
# time limit, upload) is done by functions of its common.sh; README.md has the variables.
set -euo pipefail

# shellcheck source=/dev/null
source "${SCFUZZBENCH_COMMON_SH:-/opt/scfuzzbench/common.sh}"

# Newer versions of common.sh refuse to upload what they have not pinned before.
offers() { declare -F "$1" >/dev/null; }

register_shutdown_trap
prepare_workspace
export HOME="${HOME:-/root}"
export PATH="${SCFUZZBENCH_BIN_DIR:-/usr/local/bin}:${HOME}/.foundry/bin:${PATH}"

version=$(echidna-mcp --version)
# The analysis takes every label that begins with echidna for Echidna itself.
export SCFUZZBENCH_FUZZER_LABEL="mcp-echidna-v${version##* }"

clone_target
if offers capture_target_workspace_anchor; then
  capture_target_workspace_anchor
fi
apply_benchmark_type

repo_dir="${SCFUZZBENCH_WORKDIR}/target"
target="${ECHIDNA_TARGET:-test/recon/CryticTester.sol}"
# Some projects have tests/ where others have test/.
if [[ ! -f "${repo_dir}/${target}" && -f "${repo_dir}/${target/#test\//tests/}" ]]; then
  target="${target/#test\//tests/}"
fi
config="${ECHIDNA_CONFIG:-echidna.yaml}"
if [[ ! -f "${repo_dir}/${config}" ]]; then
  log "There is no ${config} in the target; name its file in ECHIDNA_CONFIG."
  exit 1
fi
if [[ "${SCFUZZBENCH_BENCHMARK_TYPE:-property}" == "property" ]]; then
  # Global properties fail assertions themselves. Without their prefix they are called.
  sed -i -E "s/^(prefix:[[:space:]]*)[\"']?invariant_[\"']?/\1\"echidna_\"/" \
    "${repo_dir}/${config}"
fi

build_target

corpus="${ECHIDNA_MCP_CORPUS_DIR:-corpus/echidna-mcp}"
export SCFUZZBENCH_CORPUS_DIR="${repo_dir}/${corpus}"
if offers prepare_shared_seed_corpus; then
  SCFUZZBENCH_CORPUS_DIR=$(resolve_target_corpus_dir "${corpus}" "${corpus}")
  prepare_shared_seed_corpus
else
  rm -rf -- "${SCFUZZBENCH_CORPUS_DIR:?}"
  mkdir -p "${SCFUZZBENCH_CORPUS_DIR}"
fi

# One thread for each core, and at least one logical worker for each thread.
set_default_worker_env ECHIDNA_MCP_THREADS
threads="${ECHIDNA_MCP_THREADS}"
workers="${ECHIDNA_MCP_WORKERS:-$((threads > 8 ? threads : 8))}"

cmd=(
  echidna-mcp run "${target}"
  --as echidna --config "${config}" --contract "${ECHIDNA_CONTRACT:-CryticTester}"
  --corpus-dir "${SCFUZZBENCH_CORPUS_DIR}"
  --executor "threads:${threads}" --workers "${workers}"
  # The clock ends a campaign; and what is found counts, not how short it is.
  --test-limit "${ECHIDNA_MCP_TEST_LIMIT:-1000000000000000000}" --shrink-limit 1
  --format text --trace none
)
mode="${ECHIDNA_TEST_MODE:-}"
if [[ -z "${mode}" && "${SCFUZZBENCH_BENCHMARK_TYPE:-property}" == "optimization" ]]; then
  mode="optimization"
fi
if [[ -n "${mode}" ]]; then
  cmd+=(--test-mode "${mode}")
fi
if [[ -n "${ECHIDNA_MCP_SEED:-}" ]]; then
  cmd+=(--seed "${ECHIDNA_MCP_SEED}")
fi
if [[ -n "${ECHIDNA_MCP_EXTRA_ARGS:-}" ]]; then
  read -r -a extra <<<"${ECHIDNA_MCP_EXTRA_ARGS}"
  cmd+=("${extra[@]}")
fi

# The log gets the lines with times alone: the report tells everything again at the end,
# and quotes messages that begin with "!!!", each of which the analysis would count.
report="${SCFUZZBENCH_LOG_DIR}/echidna-mcp-report.txt"
cmd=(bash -c 'exec "${@:2}" >"$1"' run "${report}" "${cmd[@]}")

exit_code=0
pushd "${repo_dir}" >/dev/null
run_with_timeout "${SCFUZZBENCH_LOG_DIR}/echidna-mcp.log" "${cmd[@]}" || exit_code=$?
popd >/dev/null
upload_results
exit "${exit_code}"
