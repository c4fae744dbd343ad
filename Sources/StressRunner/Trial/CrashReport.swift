import Foundation
import Interlock

/// What the toolchain's backtracer wrote about a child that crashed, as JSON.
struct CrashReport: Decodable {
  fileprivate struct Thread: Decodable {
    var crashed: Bool?
    var frames: [Frame]?
  }

  fileprivate struct Frame: Decodable {
    struct Location: Decodable {
      var file: String
      var line: Int
    }

    var address: String?
    var description: String?
    var offset: Int?
    var image: String?
    var sourceLocation: Location?
  }

  private var description: String?
  private var threads: [Thread]?

  /// The crash of this process, if a report of it lies in the folder.
  static func crash(of process: pid_t, in folder: TemporaryFolder) -> Observation.Crash? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    // Named `<executable>-<process>-<number>.json`.
    guard let name = names.first(where: { $0.contains("-\(process)-") && $0.hasSuffix(".json") }),
      let data = FileManager.default.contents(atPath: folder.path + "/" + name),
      let report = try? JSONDecoder().decode(CrashReport.self, from: data)
    else { return nil }
    let threads = report.threads ?? []
    let thread = threads.first { $0.crashed == true } ?? threads.first
    return Observation.Crash(
      reason: report.description ?? "crashed",
      stack: (thread?.frames ?? []).compactMap { $0.asFrame })
  }
}

extension CrashReport.Frame {
  /// The frame as the rest of the program has it; `nil` for a mark such as "truncated".
  fileprivate var asFrame: StackFrame? {
    guard let address, let number = UInt(address.dropFirst(2), radix: 16) else { return nil }
    var function = description
    // The description ends in the distance from the function's beginning.
    if let offset, let name = function, name.hasSuffix(" + \(offset)") {
      function = String(name.dropLast(" + \(offset)".count))
    }
    return StackFrame(
      address: number, function: function, file: sourceLocation?.file,
      line: sourceLocation?.line, image: image)
  }
}
