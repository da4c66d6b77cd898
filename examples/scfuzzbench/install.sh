#!/usr/bin/env bash
# Installs echidna-mcp on a machine of scfuzzbench, in a virtual environment of its own.
# ECHIDNA_MCP_PROGRAM names one that is installed already; ECHIDNA_MCP_PACKAGE is what
# pip takes: a requirement, a wheel, a directory or an address.
set -euo pipefail

# shellcheck source=/dev/null
source "${SCFUZZBENCH_COMMON_SH:-/opt/scfuzzbench/common.sh}"

prepare_workspace

if [[ -z "${ECHIDNA_MCP_PROGRAM:-}" ]]; then
  install_base_packages
  # forge builds the targets, and brings the solc of each.
  install_foundry
  environment="${SCFUZZBENCH_ROOT}/echidna-mcp"
  package="${ECHIDNA_MCP_PACKAGE:-echidna-mcp[solver]}"
  log "Installing ${package} in ${environment}"
  python3 -m venv "${environment}"
  retry_cmd 3 10 "${environment}/bin/pip" install --no-cache-dir "${package}"
  ECHIDNA_MCP_PROGRAM="${environment}/bin/echidna-mcp"
fi

ln -sf "${ECHIDNA_MCP_PROGRAM}" "${SCFUZZBENCH_BIN_DIR:-/usr/local/bin}/echidna-mcp"
log "Installed $("${ECHIDNA_MCP_PROGRAM}" --version)"
