#!/usr/bin/env bash
# Every asynchronous function that the toolchain's runtime exports is met where it ends: one that is missing in
# awaited_calls.h would be an order between tasks that nobody sees. Linux only; needs nm. Ends with 1 where some are missing.
set -euo pipefail
cd "$(dirname "$0")/.."

library=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")/lib/swift/linux/libswift_Concurrency.so
known=Sources/CInterlockEvents/awaited_calls.h
# An asynchronous function has a second symbol, of the room that its context needs.
exported=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sed -n 's/^\($s.*\)Tu$/\1/p' | sort)
[ -n "$exported" ] || { echo "error: no asynchronous function in $library" >&2; exit 1; }
missing=$(comm -23 <(printf '%s\n' "$exported") <(sed -n 's/.*"\($s.*\)").*/\1/p' "$known" | sort))
if [ -n "$missing" ]; then
  printf 'error: %s lacks\n%s\n' "$known" "$missing" >&2
  exit 1
fi
echo "awaits: all of $(printf '%s\n' "$exported" | wc -l) are met"
