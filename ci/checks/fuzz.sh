#!/usr/bin/env bash
# Fuzzes the readers of scenarios, baselines, records and tokens with libFuzzer, guided by coverage:
# ci/checks/fuzz.sh [SECONDS for each reader, 60 unless given] [READER ...]. Prints how many inputs each has read. An input
# that a reader does not survive is kept in .build/fuzz/READER, and the script fails. A build of its own in .build/fuzz/build
# takes some minutes the first time. 'swift test' has a short round that is the same in every run.
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]{0,5}$ ]] || {
  echo "fuzz: the seconds must be a whole number from 1, found '$seconds'" >&2
  exit 64
}
shift || true
build=(swift build -c release --scratch-path .build/fuzz/build --product Fuzz -Xswiftc -sanitize=fuzzer
  -Xcc -fsanitize=fuzzer-no-link)
INTERLOCK_FUZZ=1 "${build[@]}" >&2
fuzz=.build/fuzz/build/release/Fuzz
if [ $# -gt 0 ]; then readers=("$@"); else read -r -a readers <<<"$("$fuzz")"; fi

outcome=0
for reader in "${readers[@]}"; do
  work=.build/fuzz/$reader
  mkdir -p "$work/corpus"
  # -rss_limit_mb: a reader must also not take memory out of proportion to its input.
  if "$fuzz" "$reader" -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=5 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$work/" "$work/corpus" "Tests/FuzzedReaders/Seeds/$reader" >"$work/log" 2>&1; then
    echo "fuzz: $reader: $(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log") inputs"
  else
    tail -40 "$work/log" >&2
    echo "fuzz: $reader failed; its input is in $work" >&2
    outcome=1
  fi
done
exit "$outcome"
