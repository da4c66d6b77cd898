# What scfuzzbench's fuzzers/_shared/common.sh offers to a runner, by the same names and
# variables, for a test on this machine: nothing is installed, uploaded or shut down.
# With PINS it offers what only newer versions have.
set -euo pipefail

SCFUZZBENCH_WORKDIR="${SCFUZZBENCH_WORKDIR:-${SCFUZZBENCH_ROOT}/work}"
SCFUZZBENCH_LOG_DIR="${SCFUZZBENCH_LOG_DIR:-${SCFUZZBENCH_ROOT}/logs}"
SCFUZZBENCH_BENCHMARK_TYPE="${SCFUZZBENCH_BENCHMARK_TYPE:-property}"

log() { echo "[$(date -Is)] $*" >&2; }
called() { echo "$*" >>"${SCFUZZBENCH_ROOT}/called"; }

prepare_workspace() {
  mkdir -p "${SCFUZZBENCH_ROOT}" "${SCFUZZBENCH_WORKDIR}" "${SCFUZZBENCH_LOG_DIR}"
  called prepare_workspace
}

register_shutdown_trap() { mkdir -p "${SCFUZZBENCH_ROOT}" && called register_shutdown_trap; }
apply_benchmark_type() { called "apply_benchmark_type ${SCFUZZBENCH_BENCHMARK_TYPE}"; }
build_target() { called build_target; }
upload_results() { called "upload_results ${SCFUZZBENCH_FUZZER_LABEL}"; }

clone_target() {
  git clone --quiet "${SCFUZZBENCH_REPO_URL}" "${SCFUZZBENCH_WORKDIR}/target"
  git -C "${SCFUZZBENCH_WORKDIR}/target" checkout --quiet "${SCFUZZBENCH_COMMIT}"
  called clone_target
}

set_default_worker_env() {
  printf -v "$1" '%s' "${!1:-${SCFUZZBENCH_WORKERS}}"
  export "${1?}"
}

run_with_timeout() {
  local log_file=$1
  shift
  timeout --signal=SIGINT --kill-after=60s "${SCFUZZBENCH_TIMEOUT_SECONDS}s" "$@" 2>&1 |
    tee "${log_file}"
  return "${PIPESTATUS[0]}"
}

if [[ -n "${PINS:-}" ]]; then
  capture_target_workspace_anchor() {
    [[ -d "${SCFUZZBENCH_WORKDIR}/target" ]] && called capture_target_workspace_anchor
  }
  resolve_target_corpus_dir() { echo "${SCFUZZBENCH_WORKDIR}/target/${1:-$2}"; }
  prepare_shared_seed_corpus() {
    mkdir -p "${SCFUZZBENCH_CORPUS_DIR}"
    called prepare_shared_seed_corpus
  }
fi
