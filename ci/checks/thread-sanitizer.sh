#!/usr/bin/env bash
# Runs the tests under ThreadSanitizer, in a build folder of its own. Arguments go to `swift test`.
# With `--build-only`, builds them and runs none.
#
# The rule: a test is run here if threads run in it that the sanitizer can see, as in sections, locks,
# caches, subjects and the harness. So these are left out:
# - functions of values: parsing, judging, diagnosing, predicting, formatting;
# - interposed and controlled calls, which are off in this build;
# - the lines of accesses, each looked up in the debug information of all tests;
# - the strategies of exploration, which run millions of executions on one thread;
# - tests that build another package, which would be built without the sanitizer;
# - tests that start a thread in the child of a fork: ThreadSanitizer ends such a child.
set -euo pipefail
cd "$(dirname "$0")/../.."

# The tests by target: Package.swift leaves out the other targets.
export INTERLOCK_TESTS="InterlockTests InterlockTestsC TrackedModel ComparisonTests PredictionTests \
SynchronizationFlags SynchronizationFlagsUsers AtomicMutexes LocalAtomics StackAtomics \
OptimizedAtomics OptimizedMutexes StressRunnerTests StressRunnerTestC StressRunnerTestChild \
InterlockStressTests FuzzedReaders TestSupport"
# Suites of these targets that are left out.
left_out=(
  '^ComparisonTests\.(Grid|Histogram|Judgement|Statistics)'
  '^StressRunnerTests\.(JSONReader|OwnScenarios|Scenario|ScriptFile|PotentialExpectation)'
  '^StressRunnerTests\.(DeadlockCause|GraphVerdict|Judge|LostCall)'
  'OwnCacheTests'
  '^InterlockStressTests\.ReaderFuzz'
  '^InterlockTests\.TrackedPlaceTests'
  '^InterlockTests\.ForkTests/(ownSections|sectionsOfTasks)'
  '^PredictionTests\.CodePlacesTests'
)
skip=()
for part in "${left_out[@]}"; do skip+=(--skip "$part"); done

# Compiling whole modules takes about a fifth less time than compiling files. A report shows only
# lines of the debug information.
options=(
  --sanitize=thread --scratch-path "$PWD/.build/thread-sanitizer"
  -Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -gline-tables-only
)
known_bugs=(--package-path StressScenarios/KnownBugs)
swift build --build-tests "${options[@]}"
# In the same build folder, so that Interlock is compiled once.
swift build --build-tests "${known_bugs[@]}" "${options[@]}"
[ "${1-}" != --build-only ] || exit 0
ci/checks/tests.sh "${options[@]}" "${skip[@]}" "$@"
swift test --skip-build "${known_bugs[@]}" "${options[@]}" "$@"
