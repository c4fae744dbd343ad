/// A section that was begun or ended wrongly: an error in the marks, not in the marked code.
public struct Misuse: Sendable, Hashable, Codable {
  /// The kind of error.
  public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    /// An end without an open section.
    case endWithoutBegin
    /// An end by another owner than that of the begin.
    case endByAnotherOwner
    /// An end in another mode than that of the begin.
    case endInAnotherMode
    /// A thread exited with a section open.
    case threadExited
    /// The process ended with a section open.
    case processEnded
  }

  /// The kind of error.
  public var kind: Kind
  /// The name of the resource.
  public var resource: String
  /// The instance that the resource belongs to; `nil` for none.
  public var instance: String?
  /// The part of the resource that the section is on, as text; `nil` for the whole.
  public var part: String?
  /// Where the section was ended; `nil` if it never was.
  public var end: Place?
  /// Where the section was begun; `nil` if it never was.
  public var begin: Place?
  /// The thread that made the error.
  public var thread: String

  /// Describes a misuse.
  public init(
    kind: Kind, resource: String, instance: String? = nil, end: Place?, begin: Place?,
    thread: String
  ) {
    self.kind = kind
    self.resource = resource
    self.instance = instance
    self.end = end
    self.begin = begin
    self.thread = thread
  }
}

extension Misuse: CustomStringConvertible {
  /// One line: the error, its place, and the place of the begin.
  public var description: String { "interlock: misuse: \(line)" }

  /// The description without its prefix.
  package var line: String {
    let name =
      resource + (instance.map { " \($0)" } ?? "") + (part.map { " [\($0)]" } ?? "")
    let ended = end.map { "\($0)" } ?? "nowhere"
    let begun = begin.map { "\($0)" } ?? "nowhere"
    let what =
      switch kind {
      case .endWithoutBegin: "ended at \(ended), but never begun"
      case .endByAnotherOwner: "ended at \(ended) by another owner than began it at \(begun)"
      case .endInAnotherMode: "ended at \(ended) in another mode than it was begun in at \(begun)"
      case .threadExited: "still open as its thread exited; begun at \(begun)"
      case .processEnded: "still open as the process ended; begun at \(begun)"
      }
    return "section on '\(name)' \(what) (\(thread))"
  }
}
