#!/usr/bin/env bash
# Checks that no C source calls a function that writes as much as its input has, whatever room there is. Ends with 1 and
# prints the places.
set -euo pipefail
cd "$(dirname "$0")/../.."

if git grep -nE '\b(strcpy|stpcpy|strcat|strncat|sprintf|vsprintf|gets|alloca) *\(' -- '*.[ch]'; then
  echo "error: use 'snprintf', or 'memcpy' of a length that was checked" >&2
  exit 1
fi
