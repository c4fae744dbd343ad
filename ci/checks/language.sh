#!/usr/bin/env bash
# Checks that words which a reader has to decode, and lines beyond 100 columns, do not increase: the
# counts below may only fall. Ends with 1 and prints the places if there are more than allowed.
set -euo pipefail
# Columns are characters, not bytes.
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../.."

files() { git ls-files 'Plugins/*.swift' 'Sources/*.swift' 'Sources/*.[ch]' 'Tests/*.swift' 'Tests/*.[ch]' \
  'StressScenarios/*.swift' 'StressScenarios/*.[ch]' 'ci/benchmarks/*.swift' "$@"; }

failed=0
check() {
  local what=$1 most=$2 found=$3
  local count
  count=$(grep -c . <<< "$found" || true)
  if [ "$count" -gt "$most" ]; then
    printf 'error: %s: %s lines, at most %s are allowed\n%s\n' "$what" "$count" "$most" "$found" >&2
    failed=1
  elif [ "$count" -lt "$most" ]; then
    echo "$what: $count lines of $most: lower the number in ci/checks/language.sh"
  fi
}

while read -r most word; do
  check "'$word'" "$most" "$(files '*.md' ':!CHANGELOG.md' | xargs grep -niwE "$word" || true)"
done << 'END'
0 nobody
0 somebody
0 anybody
0 whoever
0 is told
0 told of
0 so many
0 the same of
END
check "lines beyond 100 columns" 29 "$(files | xargs grep -nE '^.{101,}$' || true)"
exit "$failed"
