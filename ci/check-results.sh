#!/usr/bin/env bash
# Checks that a results file of the gate is whole: `interlock gate --check FILE`.
package=$(cd "$(dirname "$0")/.." && pwd)
swift build --package-path "$package" --product interlock >&2 || exit 70
exec "$(swift build --package-path "$package" --show-bin-path)/interlock" gate --check "$@"
