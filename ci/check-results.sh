#!/bin/sh
# Checks that a results file of the gate is whole: schema 1, one result for each planned trial, none
# unmet.
#
#   ci/check-results.sh FILE
#
# Ends with 0 if all of this holds, 1 if not, 64 for wrong usage. Reads the file by its lines, as
# `interlock run --json FILE` lays them out, and so needs only awk.
set -eu

if [ $# -ne 1 ]; then
  echo "error: expected one file, found $# arguments; usage: ci/check-results.sh FILE" >&2
  exit 64
fi
if [ ! -f "$1" ] || [ ! -r "$1" ]; then
  echo "error: '$1' cannot be read, expected a results file" >&2
  exit 64
fi

# A key begins its line after the indentation; in a message its quotation marks would be escaped.
awk '
  function number() { return $2 ~ /^[0-9]+,?$/ ? $2 + 0 : -1 }
  function fail(text) { print "check-results: " text >"/dev/stderr"; failed = 1 }

  BEGIN { schema = met = unmet = skipped = planned = -1 }
  /^  "schemaVersion": / { schema = number() }
  /^      "verdict": / { results++ }
  /^      "met": false/ { failures++ }
  /^  "summary": / { inSummary = 1 }
  inSummary && /^    "met": / { met = number() }
  inSummary && /^    "unmet": / { unmet = number() }
  inSummary && /^    "skipped": / { skipped = number() }
  inSummary && /^    "planned": / { planned = number() }
  { last = $0 }

  END {
    if (schema != 1) fail("\"schemaVersion\" must be 1, found " (schema < 0 ? "none" : schema))
    if (last != "}") fail("the file is cut short, expected } in its last line")
    if (planned < 0) fail("\"summary\" must hold \"planned\", found none: the run did not end")
    else if (planned == 0) fail("no trial was planned, expected at least one")
    else if (results != planned) fail("expected " planned " results as planned, found " results + 0)
    if (unmet != 0 || failures > 0)
      fail("expected 0 unmet, found " (unmet > failures ? unmet : failures + 0))
    if (met + unmet + skipped != results)
      fail("\"summary\" counts " met + unmet + skipped " results, found " results + 0)
    if (!failed && met == 0) fail("nothing was judged, expected at least one result that is met")
    if (!failed) print "check-results: " results " results as planned, none unmet"
    exit failed
  }' <"$1"
