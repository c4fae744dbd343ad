#!/usr/bin/env bash
# Compares, in random programs, the outcomes that 'explore' finds by partial order reduction with
# those of depth-first search, which executes every order: with late timers, and with wake-ups
# without a signal. Goes on until depth-first search has finished COUNT programs, a third of each
# kind: locks and queues; tasks, sleeps and timers; tasks that cancel, streams and groups. Prints the
# numbers, and ends with 1 if an outcome is missing or is one too many.
#
# Usage: ci/checks/random-programs.sh [COUNT]
set -euo pipefail
cd "$(dirname "$0")/../.."
count=${1:-300}
swift build --product ExplorerTestChild >&2
child=$(swift build --show-bin-path)/ExplorerTestChild
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# A program with more orders than this counts as not finished.
executions=5000
chunk=20
differing=0

# fact NAME: prints a sum from the child's output.
fact() { sed -n "s/^$1=//p" "$log"; }

# kind NAME SEED: compares the programs from a seed on.
kind() {
  local name=$1 seed=$2 wanted=$(((count + 2) / 3)) tried=0 finished=0 outcomes=0 wrong
  while [ "$finished" -lt "$wanted" ]; do
    "$child" generated --first "$seed" --count "$chunk" --small --executions "$executions" >"$log"
    # Programs with an outcome that the reduced search lacks, with an outcome too many, or with a
    # deadlock.
    wrong=$(($(fact outside) + $(fact unreal) + $(fact stuck)))
    [ "$wrong" -eq 0 ] || cat "$log" >&2
    differing=$((differing + wrong))
    seed=$((seed + chunk)) tried=$((tried + chunk))
    finished=$((finished + $(fact finished)))
    outcomes=$((outcomes + $(fact seen)))
  done
  echo "$name: $finished of $tried programs finished, with $outcomes outcomes"
}

kind "locks and queues" 0
kind "tasks, sleeps and timers" 100000
kind "cancellations, streams and groups" 200000
echo "programs with other outcomes than depth-first search: $differing"
[ "$differing" -eq 0 ]
