#!/usr/bin/env bash
# Replays scenarios for a CI job, and fails if an expectation is not met: `interlock gate --help`.
package=$(cd "$(dirname "$0")/.." && pwd)
swift build --package-path "$package" --product interlock >&2 || exit 70
exec "$(swift build --package-path "$package" --show-bin-path)/interlock" gate "$@"
