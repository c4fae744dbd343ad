/// A line of source code.
public struct Place: Sendable, Hashable, Codable {
  /// The file as `#fileID` gives it (`Module/File.swift`), or a path for C code.
  public var file: String
  /// The line, from 1; 0 if unknown.
  public var line: Int
  /// The function, as `#function` gives it.
  public var function: String

  /// Names a line of source code.
  public init(file: String, line: Int, function: String) {
    self.file = file
    self.line = line
    self.function = function
  }
}

extension Place: CustomStringConvertible {
  /// `Module/File.swift:12  function()`.
  public var description: String { line == 0 ? function : "\(file):\(line)  \(function)" }
}
