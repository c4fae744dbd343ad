#!/usr/bin/env bash
# Runs the tests of a finished build in several processes at a time. Arguments go to each
# `swift test`. Prints the output of each process when all have ended; ends with 1 if a test failed.
#
# Most tests wait, for a child or for a limit, and a waiting test keeps a thread: one process runs as
# many tests at a time as the machine has processors, and those of a serialized suite one by one. So
# the suites that wait most are in processes of their own. So are those that explore within the
# process, where tasks of other tests would be part of what is explored.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Suites that run one after another, with the machine to themselves. A pool whose threads are all in
# use gets one more thread each second, and a snapshot is certain only if it takes less time than
# that.
alone=('(PoolWidthTests|DeadlocksCommandTests)/' 'CertainHangTests/')

parts=(
  'SyncEventsTests\.'
  '(InterlockStressTests|StressRunnerTests|ComparisonTests)\.'
  'InterlockTestingTests\.'
)

logs=$(mktemp -d)
running=()
trap 'kill "${running[@]}" 2>/dev/null || true; rm -rf "$logs"' EXIT

# A part has the tests that its list names and no earlier list does; the last part has all others.
# So each test runs once, whatever its name.
skipped=()
for suites in "${alone[@]}"; do skipped+=(--skip "$suites"); done
for part in "${parts[@]}" ''; do
  named=()
  [ -z "$part" ] || named=(--filter "$part")
  swift test --skip-build --ignore-lock "${named[@]}" "${skipped[@]}" "$@" \
    >"$logs/${#running[@]}" 2>&1 &
  running+=($!)
  skipped+=(--skip "$part")
done

failed=0
for index in "${!running[@]}"; do
  wait "${running[index]}" || failed=1
  cat "$logs/$index"
done
for suites in "${alone[@]}"; do
  swift test --skip-build --ignore-lock --filter "$suites" "$@" || failed=1
done
exit "$failed"
