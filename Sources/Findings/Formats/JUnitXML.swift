import Foundation

/// A JUnit report that conforms to the schemas of both Ant's tasks and Jenkins.
package struct JUnitXML: Sendable {
  /// The outcome of a test.
  package enum Outcome: Sendable, Hashable {
    case passed
    /// The test failed: kind, message and evidence.
    case failed(kind: String, message: String, lines: [String])
    /// The test has no result because it crashed or timed out.
    case broken(kind: String, message: String, lines: [String])
    /// The test did not run.
    case skipped(reason: String)
  }

  /// Tests with one suite name: a scenario or a process.
  private struct Suite: Sendable {
    var name: String
    var counts: (failed: Int, broken: Int, skipped: Int, all: Int) = (0, 0, 0, 0)
    var seconds = 0.0
    var cases = ""
    var output: [String] = []
  }

  private var suites: [Suite] = []
  private var positions: [String: Int] = [:]
  private let properties: [(name: String, value: String)]
  private let timestamp: String

  /// Creates a report without tests.
  ///
  /// - Parameters:
  ///   - properties: The properties of each suite, such as the seed and the version.
  ///   - began: The beginning of the run, in seconds since 1970, in UTC.
  package init(properties: [(name: String, value: String)], began: Int) {
    self.properties = properties
    timestamp = Self.timestamp(began)
  }

  /// Adds a test.
  ///
  /// - Parameters:
  ///   - name: The name of the test.
  ///   - suite: The name of its suite.
  ///   - seconds: The duration of the test.
  ///   - outcome: The outcome of the test.
  ///   - output: Further lines, for the suite's output.
  package mutating func add(
    _ name: String, in suite: String, seconds: Double, _ outcome: Outcome, output: [String] = []
  ) {
    let position = positions[suite] ?? suites.count
    if position == suites.count {
      positions[suite] = position
      suites.append(Suite(name: suite))
    }
    var child = ""
    suites[position].counts.all += 1
    switch outcome {
    case .passed: break
    case .failed(let kind, let message, let lines):
      suites[position].counts.failed += 1
      child = Self.element("failure", kind, message, lines)
    case .broken(let kind, let message, let lines):
      suites[position].counts.broken += 1
      child = Self.element("error", kind, message, lines)
    case .skipped(let reason):
      suites[position].counts.skipped += 1
      child = "      <skipped message=\(Self.attribute(reason))/>\n"
    }
    suites[position].seconds += seconds
    let start =
      "    <testcase name=\(Self.attribute(name)) classname=\(Self.attribute(suite))"
      + " time=\"\(Self.seconds(seconds))\""
    let end = child.isEmpty ? "/>\n" : ">\n\(child)    </testcase>\n"
    suites[position].cases += start + end
    suites[position].output += output
  }

  /// The text of the report.
  package var text: String {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
    for (index, suite) in suites.enumerated() {
      let counts = suite.counts
      text += "  <testsuite name=\(Self.attribute(suite.name))"
      text += " package=\"interlock\" id=\"\(index)\""
      text += " hostname=\"localhost\" timestamp=\"\(timestamp)\" tests=\"\(counts.all)\""
      text += " failures=\"\(counts.failed)\" errors=\"\(counts.broken)\""
      text += " skipped=\"\(counts.skipped)\" time=\"\(Self.seconds(suite.seconds))\">\n"
      text += "    <properties>\n"
      for (name, value) in properties {
        text += "      <property name=\(Self.attribute(name)) value=\(Self.attribute(value))/>\n"
      }
      text += "    </properties>\n" + suite.cases
      let output = cutLines(suite.output).map { XMLText.escaped($0) + "\n" }.joined()
      text += "    <system-out>\(output)</system-out>\n    <system-err></system-err>\n"
      text += "  </testsuite>\n"
    }
    return text + "</testsuites>\n"
  }

  private static func element(
    _ name: String, _ kind: String, _ message: String, _ lines: [String]
  ) -> String {
    "      <\(name) type=\(attribute(kind)) message=\(attribute(message))>"
      + XMLText.escaped(lines: cutLines(lines)) + "</\(name)>\n"
  }

  private static func attribute(_ text: String) -> String {
    // The schema requires a name of at least one character.
    "\"" + XMLText.escaped(cutText(text.isEmpty ? "-" : text, to: 4096)) + "\""
  }

  /// Seconds with three decimals.
  private static func seconds(_ value: Double) -> String {
    let milliseconds = Int((min(max(0, value), 1e12) * 1000).rounded())
    let rest = "\(milliseconds % 1000)"
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }

  /// `2026-11-23T12:00:00`
  static func timestamp(_ seconds: Int) -> String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    return String(
      format: "%04d-%02d-%02dT%02d:%02d:%02d", parts.tm_year + 1900, parts.tm_mon + 1,
      parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec)
  }
}
