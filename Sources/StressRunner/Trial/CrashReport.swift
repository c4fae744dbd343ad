import Foundation
import Interlock

/// The toolchain's backtracer's report about a child that crashed, as JSON.
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

  /// The size limit of a report. A report of one thread with its sources has a hundredth of that.
  /// The size is limited because a subject can write to the folder too.
  private static let mostBytes = 8 << 20
  /// The most names that are examined.
  private static let mostNames = 1000
  /// The most frames that are kept.
  private static let mostFrames = 1000

  /// The crash of this process; `nil` if the folder has no report of it.
  static func crash(of process: pid_t, in folder: TrialFolder) -> Observation.Crash? {
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let names = FolderListing.names(in: descriptor, atMost: mostNames)
      .compactMap(FolderListing.text)
    // Reports are named `<executable>-<process>-<number>.json`.
    guard let name = names.first(where: { $0.contains("-\(process)-") && $0.hasSuffix(".json") }),
      let bytes = RegularFile.contents(folder.path + "/" + name, atMost: mostBytes),
      let report = try? JSONDecoder().decode(CrashReport.self, from: Data(bytes))
    else { return nil }
    let threads = report.threads ?? []
    let thread = threads.first { $0.crashed == true } ?? threads.first
    return Observation.Crash(
      reason: report.description ?? "crashed",
      stack: (thread?.frames ?? []).prefix(mostFrames).compactMap { $0.asFrame })
  }
}

extension CrashReport.Frame {
  /// Converts the frame; `nil` for a placeholder such as "truncated".
  fileprivate var asFrame: StackFrame? {
    guard let address, let number = UInt(address.dropFirst(2), radix: 16) else { return nil }
    var function = description
    // The description ends with the offset from the function's start.
    if let offset, let name = function, name.hasSuffix(" + \(offset)") {
      function = String(name.dropLast(" + \(offset)".count))
    }
    return StackFrame(
      address: number, function: function.map(StackFrame.functionName), file: sourceLocation?.file,
      // Drop invalid line numbers: they would overflow when the lines around them are shown.
      line: sourceLocation.flatMap { (0...Int(Int32.max)).contains($0.line) ? $0.line : nil },
      image: image)
  }
}
