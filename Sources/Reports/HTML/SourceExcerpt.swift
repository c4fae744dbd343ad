import Interlock
import ProcessInspection
import StressRunner
import Synchronization

/// The lines of source code around call sites, if the files can be read.
struct SourceExcerpt: Sendable {
  /// The number of lines shown before and after a call site.
  private static let around = 3
  /// The number of characters shown of a line.
  private static let longestLine = 400
  /// The extensions of files that may be opened: a child may name any file as a source file.
  private static let endings = [".swift", ".c", ".h", ".m", ".mm", ".cc", ".cpp", ".hpp"]

  private let files: SourceFiles

  /// Creates the excerpts; `read` returns the text at a path, or `nil` if there is none. It is
  /// called once for each path.
  init(_ read: @escaping @Sendable (String) -> String?) {
    files = SourceFiles(read)
  }

  /// The text of a source file of moderate size; `nil` for any other file.
  @Sendable static func file(_ path: String) -> String? {
    guard path.hasPrefix("/"), endings.contains(where: path.hasSuffix) else { return nil }
    return (try? RegularFile.read(path)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The lines around a frame's call site; empty if it has no line, or its file cannot be read.
  func html(_ frame: StackFrame?) -> String {
    guard let path = frame?.file, let line = frame?.line else { return "" }
    return html(path, line)
  }

  /// The lines around the call site of a conflict's side. The stack has the full path of the file;
  /// the call site has only the module and the file name.
  func html(_ side: Conflict.Side) -> String {
    let base = "/" + (side.place.file.split(separator: "/").last.map(String.init) ?? "")
    let frame = side.stack.first { $0.file?.hasSuffix(base) == true }
    return html(frame?.file ?? side.place.file, side.place.line)
  }

  /// The lines around the first frame of a stack in user code.
  func html(_ stack: [StackFrame]) -> String {
    html(stack.first { !$0.isSystem && !$0.isHarness && $0.file != nil && ($0.line ?? 0) > 0 })
  }

  private func html(_ path: String, _ line: Int) -> String {
    guard line > 0, let lines = files.lines(path), line <= lines.count else { return "" }
    let first = max(1, line - Self.around)
    let shown = (first...min(lines.count, line + Self.around)).map { number in
      let code = Markup.cut(
        String(lines[number - 1]).replacing("\r", with: "").replacing("\t", with: "    "),
        to: Self.longestLine)
      return number == line
        ? "<li class=\"here\"><code>\(Markup.text(code))</code></li>\n"
        : "<li><code>\(Markup.text(code))</code></li>\n"
    }
    let base = path.split(separator: "/").last.map(String.init) ?? path
    return """
      <p class="file">\(Markup.text("\(base):\(line)"))</p>
      <ol class="source" start="\(first)">
      \(shown.joined())</ol>

      """
  }
}

/// Caches the lines of source files.
private final class SourceFiles: Sendable {
  private let read: @Sendable (String) -> String?
  private let known = Mutex<[String: [Substring]?]>([:])

  init(_ read: @escaping @Sendable (String) -> String?) {
    self.read = read
  }

  /// The lines of a file; `nil` if it cannot be read.
  func lines(_ path: String) -> [Substring]? {
    known.withLock { known in
      if let lines = known[path] { return lines }
      let lines = read(path).map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
      known[path] = .some(lines)
      return lines
    }
  }
}
