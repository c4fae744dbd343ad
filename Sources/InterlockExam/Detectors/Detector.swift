import Foundation

/// A detector other than Interlock: its command and its environment variables.
struct Detector: Sendable {
  /// The column's heading.
  var name: String
  /// The command before the program's name; `nil` if it is not installed.
  var command: [String]?
  /// Its environment variables.
  var variables: [String: String] = [:]
  /// Whether it is a tool of Valgrind.
  var isValgrind = false

  /// All detectors, including those that are not installed.
  static func all(_ settings: DetectorSettings, path: String) -> [Detector] {
    let valgrind = find("valgrind", in: path)
    func tool(_ name: String, _ title: String) -> Detector {
      Detector(
        name: title,
        command: valgrind.map {
          [
            $0, "--tool=\(name)", "--error-exitcode=\(OutsideRun.reportCode)", settings.program,
          ]
        }, isValgrind: true)
    }
    return [
      Detector(name: "TSan", command: [settings.sanitizedProgram]),
      Detector(
        name: "TSan, flags", command: [settings.sanitizedProgram],
        variables: [
          "TSAN_OPTIONS": "history_size=7 ignore_noninstrumented_modules=0 detect_deadlocks=1"
        ]),
      tool("helgrind", "Helgrind"),
      tool("drd", "DRD"),
    ]
  }

  /// The result of one run of a program under this detector.
  func sighting(of program: String) -> Sighting {
    guard let command else { return .failed("not installed") }
    let run = OutsideRun(command + [program], variables: variables)
    return isValgrind
      ? Sighting(valgrind: run.ending, output: run.output)
      : Sighting(sanitized: run.ending, output: run.output)
  }

  /// The executable of this name in one of the folders of a search path.
  static func find(_ name: String, in path: String) -> String? {
    path.split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
