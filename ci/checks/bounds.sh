#!/usr/bin/env bash
# Checks that no C source writes more than there is room for: by a function that writes as much as
# its input has, or into an array of characters without its bound (bounds.awk). Ends with 1 and
# prints the places.
set -euo pipefail
cd "$(dirname "$0")/../.."

failed=0
fail() {
  echo "error: $*" >&2
  failed=1
}

unbounded='\b(strcpy|stpcpy|strcat|strncat|sprintf|vsprintf|gets|alloca) *\(|scanf *\([^;]*%[s[]'
if git grep -nE "$unbounded" -- '*.[ch]'; then
  fail "use 'snprintf', or 'memcpy' of a length that was checked"
fi

# Tries the rules for arrays: each line of the first text is found, and none of the second.
sample=$(mktemp)
trap 'rm -f "$sample"' EXIT
cat > "$sample" << 'END_OF_C'
typedef struct { int kind; char label[32]; } entry;
static char kept[64];
void own(char *text);
int sized(char *text, size_t size);
void wrong(const char *path, size_t n, entry *e) {
  char name[16], rest[PATH_MAX];
  own(name);
  read_all(rest);
  for (size_t at = 0; path[at]; at++) kept[at] = path[at];
  memcpy(e->label, path, n);
  const char *end = name;
  sized(name, n);
}
END_OF_C
expected='7 8 9 10 11 12 '
found=$(awk -f ci/checks/bounds.awk "$sample" | sed -E 's/^[^:]*:([0-9]+):.*/\1/' | sort -n |
  tr '\n' ' ' || true)
[ "$found" = "$expected" ] || fail "bounds.awk finds the lines $found, and not $expected"
cat > "$sample" << 'END_OF_C'
typedef struct { int kind; char label[32], *name; } entry;
static char kept[64];
static const char text[] = "a name";
void reads(const char *text);
void parent(char out[PATH_MAX], const char *path);
int sized(char *text, size_t size);
bool peek(const void *at, void *bytes, size_t count);
void right(const char *path, size_t n, entry *e, char *free_text) {
  char name[16], rest[PATH_MAX];  // own(name)
  snprintf(name, sizeof name, "%s", path);
  parent(rest, path);
  sized(name, sizeof name);
  size_t length = strnlen(path, sizeof kept - 1);
  memcpy(kept, path, length);
  kept[length] = 0;
  for (n = sizeof name; n && !peek(path, name, n);) n /= 2;
  memcpy(e->label, path, n < sizeof e->label ? n : sizeof e->label);
  own(e->name);
  own(free_text);
  reads(rest);
  if (strcmp(name, text) == 0 || name[3] == 'x') puts(kept);
}
END_OF_C
found=$(awk -f ci/checks/bounds.awk "$sample" || true)
[ -z "$found" ] || fail "bounds.awk finds in correct code: $found"

if ! git ls-files -z 'Sources/C*.[ch]' | xargs -0 awk -f ci/checks/bounds.awk; then
  fail "name the bound of the array: 'sizeof name', or the number that declares it"
fi
exit "$failed"
