#!/usr/bin/env bash
# Builds and tests the packages of Tests/Fixtures as their users do, and checks that each is red at
# the line that its source marks with "// red". All share one build folder, so that Interlock is
# compiled once. Needs a minute or two for a first build; BUILD_FOLDER keeps it.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
build=${BUILD_FOLDER:-$scratch/build}
outcome=0

# fixture NAME TEXT…: its tests fail, and show each text and the marked line.
fixture() {
  local name=$1 folder=Tests/Fixtures/$1 marked
  shift
  marked=$(grep -rn '// red' "$folder" --include='*.swift' | head -1 |
    sed -E 's#^.*/([^/:]+:[0-9]+):.*#\1#')
  if ! swift build --build-tests --package-path "$folder" --scratch-path "$build" \
    >"$scratch/log" 2>&1; then
    cat "$scratch/log" >&2
    echo "fixtures: $name does not build" >&2
    outcome=1
    return
  fi
  local status=0
  timeout 120 swift test --skip-build --package-path "$folder" --scratch-path "$build" \
    >"$scratch/log" 2>&1 || status=$?
  local missing=()
  for text in "$marked" "$@"; do grep -qF -- "$text" "$scratch/log" || missing+=("$text"); done
  if [ "$status" -ne 1 ] || [ ${#missing[@]} -gt 0 ]; then
    cat "$scratch/log" >&2
    printf "fixtures: %s ended with %s; missing: %s\n" "$name" "$status" "${missing[*]-}" >&2
    outcome=1
    return
  fi
  echo "fixtures: $name is red at $marked"
}

fixture cache 'Test everyMethod() recorded an issue at ImageStore.swift' 'Test storeAndRead() passed'
fixture actor 'Test neverOverdrawn() recorded an issue' 'replay: stress(replay:'
fixture server 'deadlock (starvation)' 'test: answersManyRequests()'
fixture viewmodel 'waits for the main queue at FeedModel.swift' 'test: loadsWhileTheViewReads()'
exit "$outcome"
