# Lists each place where C code may write more into an array of characters than the array has room
# for. Arguments: the sources. bounds.sh says what the rules are.
#
# An array is each `char name[SIZE]` that is not constant: a variable, a parameter, or a member of a
# structure. Its bound is `sizeof name` or SIZE.
#
# - A call that gets the array has the bound among its arguments, unless it only reads the array or
#   declares a parameter with room for that many.
# - A function that writes an element, copies a number of bytes into the array or into the rest of
#   it, or keeps its address has the bound in some other expression.

BEGIN {
  split("strlen strnlen strcmp strncmp strcasecmp memcmp strchr strrchr strcspn strspn strstr" \
    " memchr fopen opendir open openat fstatat stat lstat access unlink write fputs puts sscanf" \
    " fprintf dprintf strtol strtoul strtoull if while for switch return assert", words, " ")
  for (at in words) reads[words[at]]
  split("snprintf vsnprintf memcpy memmove memset fgets read pread readlink fread strncpy", words,
    " ")
  for (at in words) copies[words[at]]
}

FNR == 1 { files[++file_count] = FILENAME; in_comment = 0 }

# Keeps code only: leaves out comments and the contents of literals.
{
  line = $0
  code = ""
  while (line != "") {
    if (in_comment) {
      end = index(line, "*/")
      if (!end) break
      in_comment = 0
      line = substr(line, end + 2)
    } else if (match(line, /\/\/|\/\*|"([^"\\]|\\.)*"|'([^'\\]|\\.)*'/)) {
      code = code substr(line, 1, RSTART - 1)
      found = substr(line, RSTART, 2)
      if (found == "//") { line = ""; break }
      line = substr(line, RSTART + RLENGTH)
      if (found == "/*") in_comment = 1
      else code = code "0"
    } else {
      code = code line
      line = ""
    }
  }
  lines[FILENAME, FNR] = code
  line_counts[FILENAME] = FNR
}

END {
  for (number = 1; number <= file_count; number++) note_functions(files[number])
  for (number = 1; number <= file_count; number++) note_arrays(files[number])
  for (number = 1; number <= file_count; number++) check_blocks(files[number])
  exit found_any
}

# The last line of the outermost declaration, directive or empty line that begins at `from`.
function next_block(file, from,   to, line, depth) {
  for (to = from; to <= line_counts[file]; to++) {
    line = lines[file, to]
    if (line ~ /^}/) return to
    if (to == from && line ~ /^ *(#.*)?$/) return to
    depth += gsub(/{/, "{", line) - gsub(/}/, "}", line)
    if (depth == 0 && line ~ /[;}] *$/) return to
  }
  return line_counts[file]
}

function text_of(file, from, to,   at, text) {
  text = ""
  for (at = from; at <= to; at++) text = text lines[file, at] "\n"
  return text
}

# Returns the text before the first brace: for a function, its name and its parameters.
function head(text) {
  return index(text, "{") ? substr(text, 1, index(text, "{") - 1) : text
}

function note_functions(file,   from, to, text, open, name) {
  for (from = 1; from <= line_counts[file]; from = to + 1) {
    to = next_block(file, from)
    text = head(text_of(file, from, to))
    if (!match(text, /[A-Za-z_][A-Za-z_0-9]* *\(/)) continue
    name = substr(text, RSTART, RLENGTH - 1)
    sub(/ *$/, "", name)
    open = RSTART + RLENGTH - 1
    parameters[name] = substr(text, open + 1, closing(text, open) - open - 1)
  }
}

# Returns the position of the bracket that closes the bracket at `open`.
function closing(text, open,   at, depth, c) {
  for (at = open; at <= length(text); at++) {
    c = substr(text, at, 1)
    if (c ~ /[([{]/) depth++
    else if (c ~ /[])}]/ && --depth == 0) return at
  }
  return length(text)
}

# Fills `names` and `sizes` with the arrays that a text declares. Returns their number.
function arrays_in(text, names, sizes,   count, rest, before, name, size, open, close_) {
  count = 0
  rest = text
  before = ""
  while (match(rest, /(^|[^A-Za-z_0-9])char +[A-Za-z_][A-Za-z_0-9]* *\[/)) {
    before = substr(rest, 1, RSTART)
    sub(/^.*[;{}\n(,]/, "", before)
    open = RSTART + RLENGTH - 1
    name = substr(rest, RSTART, RLENGTH - 1)
    sub(/^.*char +/, "", name)
    sub(/ *$/, "", name)
    while (1) {
      close_ = closing(rest, open)
      size = substr(rest, open + 1, close_ - open - 1)
      if (before !~ /const|extern/ && size != "") {
        names[++count] = name
        sizes[count] = size
      }
      rest = substr(rest, close_ + 1)
      # A further array in the same declaration.
      if (!match(rest, /^ *, *[A-Za-z_][A-Za-z_0-9]* *\[/)) break
      open = RLENGTH
      name = substr(rest, 1, RLENGTH - 1)
      gsub(/[ ,]/, "", name)
    }
  }
  return count
}

# Members count in all files, static variables only in their own file.
function note_arrays(file,   from, to, text, count, names, sizes, at, is_type) {
  for (from = 1; from <= line_counts[file]; from = to + 1) {
    to = next_block(file, from)
    text = text_of(file, from, to)
    if (is_function(text)) continue
    is_type = text ~ /^[^(]*(struct|union)[^(;]*{/
    count = arrays_in(text, names, sizes)
    for (at = 1; at <= count; at++) {
      if (is_type) {
        members[names[at]] = members[names[at]] "\n" sizes[at]
      } else {
        statics[file] = statics[file] " " names[at]
        static_sizes[file, names[at]] = sizes[at]
      }
    }
  }
}

function is_function(text) { return head(text) ~ /\(/ && index(text, "{") }

function check_blocks(file,   from, to, text, count, names, sizes, at, own) {
  for (from = 1; from <= line_counts[file]; from = to + 1) {
    to = next_block(file, from)
    text = text_of(file, from, to)
    if (!is_function(text)) continue
    count = arrays_in(text, names, sizes)
    split("", own)
    for (at = 1; at <= count; at++) {
      own[names[at]]
      check(file, from, text, names[at], "\n" sizes[at], 0)
    }
    count = split(statics[file], names, " ")
    for (at = 1; at <= count; at++) {
      if (!(names[at] in own)) {
        check(file, from, text, names[at], "\n" static_sizes[file, names[at]], 0)
      }
    }
    for (at in members) check(file, from, text, at, members[at], 1)
  }
}

# True if a text has the bound of an array. A declaration of the array does not count.
function has_bound(text, name, sizes,   rest, size, list, count, at, before) {
  if (text ~ ("sizeof[ (]+([^,;)]*[^A-Za-z_0-9])?" name "([^A-Za-z_0-9]|$)")) return 1
  count = split(substr(sizes, 2), list, "\n")
  for (at = 1; at <= count; at++) {
    size = list[at]
    rest = text
    while (index(rest, size)) {
      before = substr(rest, 1, index(rest, size) - 1)
      if (before !~ /char +[A-Za-z_0-9]+ *\[$/ && before !~ /char [^;\n]*, *[A-Za-z_0-9]+\[$/ &&
        before !~ /[A-Za-z_0-9]$/) return 1
      rest = substr(rest, index(rest, size) + length(size))
    }
  }
  return 0
}

function check(file, from, text, name, sizes, is_member,   rest, start, at, before, after, last) {
  start = 1
  while (match(substr(text, start), "(^|[^A-Za-z_0-9])" name "([^A-Za-z_0-9]|$)")) {
    at = start + RSTART - 1
    if (substr(text, at, length(name)) != name || at > 1 && start > at) at++
    start = at + length(name)
    before = substr(text, 1, at - 1)
    after = substr(text, start)
    if ((before ~ /(\.|->)$/) != is_member) continue
    # A designated initialiser, or the declaration of the array.
    if (is_member && before ~ /[{,] *\.$/) continue
    if (!is_member && before ~ /char +$|char [^;()]*, *$/) continue
    if (before ~ /sizeof[ (]*([A-Za-z_0-9]|\.|->|\[|\])*$/) continue
    judge(file, from, text, at, before, after, name, sizes, is_member)
  }
}

# Judges one use of an array. For members only copies count, because another structure may have a
# member of the same name that is no array.
function judge(file, from, text, at, before, after, name, sizes, is_member,
  call, close_, declared) {
  if (!is_member && after ~ /^\[/ && before !~ /&([A-Za-z_0-9]|\.|->)*$/) {
    close_ = closing(after, 1)
    after = substr(after, close_ + 1)
    if (after ~ /^ *([-+*\/|&^]?=[^=]|\+\+|--)/ && !has_bound(text, name, sizes))
      report(file, from, before, name, "is written at an index, without a bound in this function")
    return
  }
  call = call_around(text, at)
  if (is_member && !(call != "" && called in copies)) return
  if (call == "") {
    if (before ~ /[={,] *([A-Za-z_0-9]|\.|->)*$/ && !has_bound(text, name, sizes))
      report(file, from, before, name, "has its address kept, without a bound in this function")
    return
  }
  if (called in reads) return
  if (called in copies) {
    if (argument == 1 && !has_bound(text, name, sizes))
      report(file, from, before, name, "is passed to " called ", without a bound in this function")
    return
  }
  if (has_bound(call, name, sizes)) return
  declared = called in parameters ? parameter(parameters[called], argument) : ""
  if (declared ~ /const |\[/) return
  # A `void *` parameter has a number of bytes beside it, and so has a pointer to the rest of an
  # array.
  if ((declared ~ /void \*/ || after ~ /^ *\+/) && has_bound(text, name, sizes)) return
  report(file, from, before, name, "is passed to " called " without its bound")
}

# Returns the call of which a position is an argument, and sets `called` and `argument`. Returns ""
# if there is none.
function call_around(text, at,   depth, c, from, name) {
  argument = 1
  depth = 0
  for (from = at - 1; from > 0; from--) {
    c = substr(text, from, 1)
    if (c ~ /[])}]/) depth++
    else if (c ~ /[([{]/) {
      if (depth-- > 0) continue
      if (c != "(") return ""
      name = substr(text, 1, from - 1)
      sub(/ *$/, "", name)
      if (!match(name, /[A-Za-z_][A-Za-z_0-9]*$/)) { depth = 0; argument = 1; continue }
      called = substr(name, RSTART)
      return substr(text, from, closing(text, from) - from + 1)
    } else if (depth == 0) {
      if (c == ";") return ""
      if (c == ",") argument++
    }
  }
  return ""
}

# Returns one of the parameters of a function. The last one stands for those behind it.
function parameter(list, number,   at, depth, c, current, one) {
  current = 1
  for (at = 1; at <= length(list); at++) {
    c = substr(list, at, 1)
    if (c ~ /[(\[]/) depth++
    if (c ~ /[])]/) depth--
    if (c == "," && depth == 0) {
      if (current++ == number) return one
      one = ""
    } else one = one c
  }
  return one
}

function report(file, from, before, name, what,   parts) {
  printf "%s:%d: '%s' %s\n", file, from + split(before, parts, "\n") - 1, name, what
  found_any = 1
}
