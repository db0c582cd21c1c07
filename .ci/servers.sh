#!/usr/bin/env bash
# Install the Debian packages of the database servers that tests start, where they are missing.
# RUNLEVEL=1 keeps the packages from starting servers of their own.
set -euo pipefail
cd "$(dirname "$0")/.."
missing=$(python3 tests/servers/installed.py --packages)
test -n "$missing" || exit 0
as_root=()
test "$(id -u)" = 0 || as_root=(sudo)
"${as_root[@]}" apt-get update --quiet
# shellcheck disable=SC2086  # one word a package
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
  apt-get install --quiet --yes --no-install-recommends $missing
