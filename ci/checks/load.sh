#!/usr/bin/env bash
# How long 'interlock merge' takes for many results, and how much memory, in each format of reports:
# three trials, one of which fails, are repeated in a record, the one that fails once in a hundred.
# Not a part of the gate. The argument is the number of results, 100,000 without it.
set -euo pipefail
cd "$(dirname "$0")/../.."

results=${1-100000}
swift build -c release --product interlock >&2
tool=$(swift build -c release --show-bin-path)/interlock
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/reads.json" <<'END'
{
  "name": "reads", "summary": "Eight callers read one value", "source": "ci/checks/load.sh",
  "workload": {
    "driver": "threads", "seed": 1, "keys": {"count": 1, "distribution": "uniform"},
    "valueBytes": 64, "prepare": "all-keys",
    "phases": [{"callers": 8, "rounds": 20, "operations": ["get"]}]
  },
  "oracles": ["values-intact"], "expect": {}
}
END
"$tool" run reads --scenarios "$work" --subject mutex --subject nslock --subject unlocked \
  --record "$work/few.jsonl" >"$work/log" || [ $? -eq 1 ]

awk -v results="$results" '
  function again(text, index_) { sub(/"index":[0-9]+/, "\"index\":" index_, text); return text }
  NR == 1 { head = $0; next }
  { if ($0 ~ /"subject":"unlocked"/) failed = $0; else passed[count++] = $0 }
  END {
    match(head, /"planned":\[[^]]*\]/)
    printf "%s\"planned\":[", substr(head, 1, RSTART - 1)
    rest = substr(head, RSTART + RLENGTH)
    for (i = 0; i < results; i++) {
      line = i % 100 ? passed[i % count] : failed
      subject = line; sub(/.*"subject":"/, "", subject); sub(/".*/, "", subject)
      seed = line; sub(/.*"seed":/, "", seed); sub(/[^0-9].*/, "", seed)
      printf "%s{\"index\":%d,\"scenario\":\"reads\",\"seed\":%s,\"subject\":\"%s\"}",
        i ? "," : "", i, seed, subject
    }
    print "]" rest
    for (i = 0; i < results; i++) print again(i % 100 ? passed[i % count] : failed, i)
  }' "$work/few.jsonl" >"$work/many.jsonl"

printf '%d results, a record of %d MB\n' "$results" $(($(stat -c %s "$work/many.jsonl") / 1000000))
measure() {
  local name=$1 began=$EPOCHREALTIME peak=0 found
  shift
  "$tool" merge "$work/many.jsonl" "$@" >"$work/log" 2>&1 &
  while found=$(awk '/VmHWM/ {print $2}' "/proc/$!/status" 2>/dev/null) && [ -n "$found" ]; do
    peak=$found
    sleep 0.1
  done
  wait $! || [ $? -eq 1 ]
  awk -v name="$name" -v began="$began" -v ended="$EPOCHREALTIME" -v peak="$peak" \
    'BEGIN { printf "  %-8s %5.1f s  %5d MB\n", name, ended - began, peak / 1000 }'
}
measure text
for format in json junit sarif html gitlab; do
  measure "$format" "--$format" "$work/report.$format"
done
for format in github xcode; do measure "$format" "--$format"; done
