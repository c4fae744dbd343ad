#!/usr/bin/env bash
# Builds and tests the packages of Tests/Fixtures as their users do, and checks that each
#
# - is red at the line that its source marks with "// red", in the output and in each format;
# - is green with the baseline that this run has written;
# - is red again with a second fault, at the line marked with "// second".
#
# One of them runs the command plug-in too.
#
# All share one build folder, so that Interlock is compiled once. BUILD_FOLDER keeps it; the first
# build takes minutes. The gate tests one of them, in the folder of the package of known bugs.
#
# Usage: ci/checks/fixtures.sh [FIXTURE…]. The default is all, with the plug-in and the packages that
# only have to build.
set -euo pipefail
cd "$(dirname "$0")/../.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
build=${BUILD_FOLDER:-$scratch/build}
outcome=0

wrong() {
  cat "$scratch/log" >&2
  echo "fixtures: $*" >&2
  outcome=1
}

# place FIXTURE MARK: the line with the mark, as in Store.swift:12.
place() {
  grep -rn "// $2" "Tests/Fixtures/$1" --include='*.swift' | head -1 |
    sed -E 's#^.*/([^/:]+:[0-9]+):.*#\1#'
}

# tested FIXTURE STATUS OPTIONS TEXT…: its tests end with the status, and show each text.
tested() {
  local name=$1 expected=$2 options=$3 status=0 text
  shift 3
  INTERLOCK_OPTIONS=$options timeout 300 swift test --skip-build \
    --package-path "Tests/Fixtures/$name" --scratch-path "$build" >"$scratch/log" 2>&1 || status=$?
  [ "$status" -eq "$expected" ] || wrong "$name ended with $status, expected $expected: $options"
  for text in "$@"; do
    grep -qF -- "$text" "$scratch/log" || wrong "$name lacks '$text': $options"
  done
}

# fixture NAME TEXT…: also shows each text.
fixture() {
  local name=$1 reports=$scratch/$1 red second file line
  shift
  if ! swift build --build-tests --package-path "Tests/Fixtures/$name" --scratch-path "$build" \
    >"$scratch/log" 2>&1; then
    wrong "$name does not build"
    return
  fi
  red=$(place "$name" red) second=$(place "$name" second)
  file=${red%:*} line=${red#*:}
  mkdir "$reports"
  tested "$name" 1 "report=baseline:$reports/known.json" "$red" "$@"
  tested "$name" 1 "report=sarif:$reports/sarif report=junit:$reports/junit
    report=gitlab:$reports/gitlab report=xcode" "$file:$line:"
  cp "$scratch/log" "$reports/xcode"
  tested "$name" 1 "report=github" "/$file,line=$line"
  grep -q "$file" "$reports/sarif" && grep -Eq "\"startLine\" ?: ?$line\b" "$reports/sarif" ||
    wrong "$name: sarif lacks $red"
  grep -q "$file:$line" "$reports/junit" || wrong "$name: junit lacks $red"
  grep -q "$file" "$reports/gitlab" && grep -Eq "\"begin\" ?: ?$line\b" "$reports/gitlab" ||
    wrong "$name: gitlab lacks $red"
  tested "$name" 0 "baseline=$reports/known.json" "known"
  SECOND_FAULT=1 tested "$name" 1 "baseline=$reports/known.json" "$second"
  [ "$outcome" -ne 0 ] || echo "fixtures: $name is red at $red, then green, then red at $second"
}

names=("$@")
[ "$#" -gt 0 ] || names=(cache actor server viewmodel)
for name in "${names[@]}"; do
  case $name in
    cache)
      fixture cache 'Test everyMethod() recorded an issue at ImageStore.swift' \
        'Test storeAndRead() passed'
      ;;
    actor) fixture actor 'Test neverOverdrawn() recorded an issue' 'replay: stress(replay:' ;;
    server) fixture server 'deadlock (starvation)' 'test: answersManyRequests()' ;;
    viewmodel)
      fixture viewmodel 'waits for the main queue at FeedModel.swift' \
        'test: loadsWhileTheViewReads()'
      ;;
    *)
      echo "fixtures: there is no fixture '$name'" >&2
      exit 64
      ;;
  esac
done
[ "$#" -eq 0 ] || exit "$outcome"

# The check of memory, for a snippet and an executable that do not link the product, and for a
# module that is compiled without the option.
status=0
ci/memory.sh --package Tests/Fixtures/snippets --without Plain test >"$scratch/log" 2>&1 || status=$?
clean='no race in memory in [0-9][^ ]* accesses of the modules Counters, CountersTests'
if [ "$status" -ne 0 ] || ! grep -q "$clean" "$scratch/log"; then
  wrong "snippets ended with $status, expected 0 and the line of a clean run"
fi

# The command plug-in: its output and its exit code.
command=(swift package --package-path Tests/Fixtures/actor --scratch-path "$build" interlock)
if ! "${command[@]}" explain race >"$scratch/log" 2>&1 || ! grep -q 'races\?' "$scratch/log"; then
  wrong "the plug-in does not explain"
elif "${command[@]}" explain nosuch >"$scratch/log" 2>&1 ||
  ! grep -q "'interlock' ended with code 64" "$scratch/log"; then
  wrong "the plug-in hides an exit code"
fi
command=(swift package --package-path Tests/Fixtures/snippets --scratch-path "$build" interlock)
if "${command[@]}" hunt counts >"$scratch/log" 2>&1 ||
  ! grep -q 'No test target links InterlockTesting' "$scratch/log" ||
  grep -q 'building the command' "$scratch/log"; then
  wrong "the plug-in builds the command for tests that it cannot hunt"
fi

# The example of the article on gating: its red run is a test.
swift build --package-path Tests/OwnCache --scratch-path "$build" >"$scratch/log" 2>&1 ||
  wrong "OwnCache does not build"
exit "$outcome"
