import Foundation
import Findings
import Reports
import StressRunner

/// `trend`: shows verdicts and times over the runs whose records are in a folder.
struct TrendCommand {
  private let world: World
  private let options: Options

  init(world: World, options: Options) {
    self.world = world
    self.options = options
  }

  /// Reads the records, and prints the trend. Nothing of it is red: each run was judged already.
  func perform(_ folders: [String]) throws -> ExitCode {
    if folders.isEmpty { throw UsageError("'trend' needs a folder with records of runs", .trend) }
    let page = try options.reportFiles["html"].map {
      try FinishedFile(path: $0, option: "html", of: .trend)
    }
    var runs: [Trend.Run] = []
    for folder in folders {
      for files in try recordFolders(folder) { runs += try self.runs(files) }
    }
    let trend = Trend(runs)
    let style = TextStyle(
      color: options.color == .always || options.color == .auto && world.output.width != nil)
    world.output.write(TrendText(trend, style: style).text)
    if let page, let reason = page.write(TrendPage(trend, version: World.version).text) {
      let path = options.reportFiles["html"] ?? ""
      world.errors.write("error: '\(escaped(path))' could not be written: \(reason)\n")
      return .ourFault
    }
    return .met
  }

  /// The records below a folder, grouped by the folder that they are in.
  private func recordFolders(_ argument: String) throws(ScenarioErrors) -> [[String]] {
    let paths = try MergeCommand.paths(argument)
    let folders = Dictionary(grouping: paths) { ($0 as NSString).deletingLastPathComponent }
    return folders.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The runs of the records in one folder: shards of one run are one.
  private func runs(_ paths: [String]) throws -> [Trend.Run] {
    struct Part {
      var head: RecordHead
      var shards: Set<Int>
      var name: String
      var records: [Record]
    }
    var parts: [Part] = []
    for path in paths {
      let record = try Record(path)
      let head = record.head
      let place = parts.firstIndex { part in
        head.shards > 1 && !part.shards.contains(head.shard)
          && part.head.commit == head.commit && part.head.version == head.version
          && head.difference(from: part.head) == nil
      }
      if let place {
        parts[place].shards.insert(head.shard)
        parts[place].records.append(record)
        parts[place].head.began = [parts[place].head.began, head.began].compactMap(\.self).min()
      } else {
        let name = (path as NSString).lastPathComponent
        parts.append(
          Part(head: head, shards: [head.shard], name: name, records: [record]))
      }
    }
    return parts.map { part in
      let folder = (paths[0] as NSString).deletingLastPathComponent
      let isWholeFolder = parts.count == 1 && paths.count > 1
      return Trend.Run(
        name: isWholeFolder ? (folder as NSString).lastPathComponent : part.name,
        commit: part.head.commit, began: part.head.began,
        results: Record.results(of: part.records).sorted { $0.key < $1.key }.map(\.value),
        missing: part.records.reduce(0) { $0 + $1.missing.count })
    }
  }
}
