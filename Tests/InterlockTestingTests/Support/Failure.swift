import InterlockTesting
import Synchronization
import Testing

/// The text of the one issue that `explore` records for a body; `nil` if it records none.
func failure(
  _ options: ExploreOption..., replay: String? = nil, function: String = #function,
  of body: @escaping () throws -> Void
) -> String? {
  let issues = Issues()
  try? withKnownIssue(isIntermittent: true) {
    switch options.count {
    case 0: try explore(replay: replay, function: function, body)
    case 1: try explore(options[0], replay: replay, function: function, body)
    default: try explore(options[0], options[1], replay: replay, function: function, body)
    }
  } matching: {
    issues.add($0)
  }
  return issues.only
}

/// As `failure(of:)`, for an asynchronous body.
func failure(
  _ options: ExploreOption..., replay: String? = nil, function: String = #function,
  ofAsync body: @escaping @Sendable () async throws -> Void
) async -> String? {
  let issues = Issues()
  try? await withKnownIssue(isIntermittent: true) {
    switch options.count {
    case 0: try await explore(replay: replay, function: function, body)
    case 1: try await explore(options[0], replay: replay, function: function, body)
    default: try await explore(options[0], options[1], replay: replay, function: function, body)
    }
  } matching: {
    issues.add($0)
  }
  return issues.only
}

/// The token at the end of a failure.
func token(in text: String?) throws -> String {
  let text = try #require(text)
  let match = try #require(text.firstMatch(of: /replay: explore\(replay: "(.+)"\)$/))
  return String(match.1)
}

private final class Issues: Sendable {
  private let texts = Mutex<[String]>([])

  func add(_ issue: Issue) -> Bool {
    var text = issue.comments.map(\.rawValue).joined(separator: "\n")
    if let error = issue.error { text = "\(error)" }
    texts.withLock { $0.append(text.isEmpty ? "\(issue)" : text) }
    return true
  }

  var only: String? {
    let texts = texts.withLock { $0 }
    #expect(texts.count < 2, "one issue for an exploration, found: \(texts)")
    return texts.first
  }
}
