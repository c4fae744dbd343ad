#!/usr/bin/env bash
# Runs the tests under ThreadSanitizer, in a build folder of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
# What is left out starts processes that hang or crash on purpose, or builds packages: none of it is about
# the memory of the harness, and the sanitizer's own runtime stands in the way.
exec swift test --sanitize=thread --scratch-path .build/thread-sanitizer --skip "${SKIP:-OwnCacheTests}" "$@"
