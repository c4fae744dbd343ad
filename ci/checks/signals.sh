#!/usr/bin/env bash
# Sends a thread a million signals while it is in the analysis. Each handler posts a semaphore and
# takes a lock: no post may be lost, or unseen by the analysis, and no lock may be left in it. The
# gate sends a tenth as many.
#
# Usage: ci/checks/signals.sh [COUNT]
set -euo pipefail
cd "$(dirname "$0")/../.."
swift build --product SyncEventsTestChild >&2
found=$(INTERLOCK_OPTIONS='predict=on hang_limit=600 quiet=on' \
  "$(swift build --show-bin-path)/SyncEventsTestChild" signals-in-analysis "${1:-1000000}")
if [ "$found" != "0 0 0 complete ordered" ]; then
  echo "signals: lost posts, left locks, unseen posts, waits and orders: $found" >&2
  exit 1
fi
