#!/usr/bin/env bash
# Replays scenarios and fails where an expectation is not met: what a CI job calls.
#
#   ci/gate.sh [--package FOLDER] [--product NAME] [--json FILE] [--] [ARGUMENT ...]
#
#   --package FOLDER   the Swift package to build (default: the one that this script belongs to)
#   --product NAME     the executable to run (default: interlock)
#   --json FILE        where to leave the results (default: interlock-results.json in the current folder)
#   ARGUMENT ...       handed to the executable's 'run', for example a scenario's name or --repeat 3
#
# Ends with the gate's own code: 0 every expectation met; 1 one was not; 64 wrong usage; 65 a bad scenario;
# 70 a fault of Interlock's own, or the build failed; 130 interrupted.
set -euo pipefail

package=$(cd "$(dirname "$0")/.." && pwd)
product=interlock
json=interlock-results.json

usage() {
  echo "error: $1" >&2
  echo "Usage: ci/gate.sh [--package FOLDER] [--product NAME] [--json FILE] [--] [ARGUMENT ...]" >&2
  exit 64
}

while [ $# -gt 0 ]; do
  case "$1" in
    --package | --product | --json)
      [ $# -ge 2 ] || usage "Missing value for '$1'"
      case "$1" in
        --package) package=$2 ;;
        --product) product=$2 ;;
        --json) json=$2 ;;
      esac
      shift 2
      ;;
    --)
      shift
      break
      ;;
    *) break ;;
  esac
done

[ -f "$package/Package.swift" ] || usage "'$package' is not a Swift package: it has no Package.swift"
case "$json" in
  - | /*) ;;
  *) json=$PWD/$json ;;
esac

cd "$package"
if ! swift build --product "$product" >&2; then
  echo "error: '$product' could not be built" >&2
  exit 70
fi
products=$(swift build --show-bin-path)
exec "$products/$product" run --json "$json" "$@"
