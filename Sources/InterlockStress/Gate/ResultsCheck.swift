import Findings

/// Checks that a results file is complete: schema 1, one result for each planned trial, none unmet.
struct ResultsCheck {
  /// The number of results.
  private(set) var count = 0
  /// The errors, one sentence each; empty for a complete file.
  private(set) var faults: [String] = []

  /// Checks the text of a file.
  init(_ bytes: [UInt8]) {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONReader.read(bytes)
    } catch {
      faults = ["line \(error.line): the file is cut short or no JSON: \(error.message)"]
      return
    }
    let schema = json["schemaVersion"]
    if schema?.whole != 1 {
      faults.append("\"schemaVersion\" must be 1, found \(schema?.found ?? "none")")
    }
    var results: [JSONValue] = []
    if case .array(let values)? = json["results"]?.content { results = values }
    count = results.count
    let summary = json["summary"]
    let (met, unmet, skipped) =
      (summary?["met"]?.whole, summary?["unmet"]?.whole, summary?["skipped"]?.whole)
    switch summary?["planned"]?.whole {
    case nil: faults.append("\"summary\" must hold \"planned\", found none: the run did not end")
    case 0?: faults.append("no trial was planned, expected at least one")
    case let planned?:
      if planned != count {
        faults.append("expected \(planned) results as planned, found \(count)")
      }
    }
    let failures = results.count { $0["met"]?.content == .bool(false) }
    if unmet != 0 || failures > 0 {
      faults.append("expected 0 unmet, found \(max(unmet ?? 0, failures))")
    }
    // The file is not ours: numbers near the largest one must not trap.
    let counted = (met ?? 0) &+ (unmet ?? 0) &+ (skipped ?? 0)
    if counted != count {
      faults.append("\"summary\" counts \(counted) results, found \(count)")
    }
    if faults.isEmpty, met == 0 {
      faults.append("nothing was judged, expected at least one result that is met")
    }
  }
}

extension JSONValue {
  /// The value of a key in an object; `nil` if there is none.
  fileprivate subscript(key: String) -> JSONValue? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The value as a whole number; `nil` for any other value.
  fileprivate var whole: Int? {
    guard case .number(let text) = content else { return nil }
    return Int(text)
  }
}
