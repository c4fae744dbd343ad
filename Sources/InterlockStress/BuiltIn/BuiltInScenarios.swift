import Interlock
import StressRunner

extension World {
  /// The scenarios for caches that come with the product and for which this executable has a
  /// subject.
  func builtInScenarios() throws(ScenarioErrors) -> [ScenarioFile] {
    let names = Set(subjects.map(\.name))
    let hasCache = subjects.contains { $0.isMemoryCache && $0.runsUnlisted }
    var files: [ScenarioFile] = []
    for (name, bytes) in Self.builtInTexts {
      do throws(ScenarioError) {
        var file = try ScenarioFile(parsing: bytes, path: "built-in \(name)")
        file.isBuiltIn = true
        file.scenario.isForCaches = true
        if file.scenario.subjects?.contains(where: names.contains) ?? hasCache {
          files.append(file)
        }
      } catch {
        throw ScenarioErrors(errors: [error])
      }
    }
    return files
  }

  /// The files of `StressScenarios/caches` at the time when this executable was built.
  package static let builtInTexts: [(name: String, bytes: [UInt8])] = [
    ("add-get-remove", PackageResources.add_get_remove_json),
    ("concurrent-reads", PackageResources.concurrent_reads_json),
    ("read-mostly", PackageResources.read_mostly_json),
    ("reads-from-tasks", PackageResources.reads_from_tasks_json),
    ("reads-from-threads", PackageResources.reads_from_threads_json),
    ("thousand-and-one-writes", PackageResources.thousand_and_one_writes_json),
    ("write-heavy", PackageResources.write_heavy_json),
  ]
}
