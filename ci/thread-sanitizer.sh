#!/usr/bin/env bash
# Runs the tests under ThreadSanitizer, in a build folder of its own. Arguments go to `swift test`.
set -euo pipefail
cd "$(dirname "$0")/.."
# Left out: the tests that build another package, which would be built without the sanitizer, and
# those of the strategies of exploration, which run millions of executions on one thread.
exec swift test --sanitize=thread --scratch-path .build/thread-sanitizer \
  --skip OwnCacheTests --skip StrategyTests "$@"
