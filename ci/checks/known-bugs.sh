#!/usr/bin/env bash
# Builds the package StressScenarios/KnownBugs as a user's, runs its tests, replays its scenarios
# through the gate, and explores models whose repaired twins once failed in an order that no stressed
# run had. With `--build-only`, builds it and runs none.
#
# The build folder is its own: two packages in one folder overwrite each other's build description,
# and a build then ends at once with the other package's.
set -euo pipefail
cd "$(dirname "$0")/../.."

package=(--package-path StressScenarios/KnownBugs --scratch-path "$PWD/.build/known-bugs")
swift build --build-tests "${package[@]}"
[ "${1-}" != --build-only ] || exit 0
swift test --skip-build "${package[@]}"

results=$(mktemp)
trap 'rm -f "$results"' EXIT
known_bugs=$(swift build "${package[@]}" --show-bin-path)/known-bugs
cd StressScenarios/KnownBugs
# More trials at a time than processors, because a trial that hangs waits and uses no processor.
"$known_bugs" gate --json "$results" --jobs 4
"$known_bugs" gate --check "$results"
# Limited by a number of orders: a limit in seconds would depend on the machine.
"$known_bugs" explore pin-3-trash-emptied-in-between pin-4-cost-subtracted-twice \
  pin-5-another-object-removed pin-5-another-file-removed pin-12-spurious-wake-up \
  pin-two-pairs-over-one-directory pinop-2-lowered-maximum yy-5-trim-by-trying tu-6-dying-group \
  --strategy pos --budget 100
