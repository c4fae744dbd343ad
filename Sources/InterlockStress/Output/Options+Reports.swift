import Findings
import Interlock

extension Options {
  /// The file for the results as JSON; `-` is standard output.
  package var jsonFile: String? {
    get { reportFiles["json"] }
    set { reportFiles["json"] = newValue }
  }

  /// The file for the results as a page, written when the run is over; `nil` for none.
  package var htmlFile: String? {
    get { reportFiles["html"] }
    set { reportFiles["html"] = newValue }
  }

  /// Checks that no two options name the same file: the text written last would replace the others.
  ///
  /// - Throws: An error for the first two such options.
  func checkFiles(of command: CommandName) throws(UsageError) {
    var files = reportFiles
    files["record"] = record
    files["resume"] = resumed
    files["traps"] = trapFile
    // 'compare' may replace the results that it compares with.
    if command != .compare { files["baseline"] = baseline }
    var named: [(option: String, path: String)] = []
    for option in command.options.map(\.name) {
      // A lone hyphen is standard output.
      guard let path = files[option], path != "-" else { continue }
      if let other = named.first(where: { isOneFile($0.path, path) }) {
        throw UsageError(
          "The options '--\(other.option)' and '--\(option)' name one file, '\(escaped(path))':"
            + " each needs a file of its own", command)
      }
      named.append((option, path))
    }
  }

  /// The unrequested files that are not also the file of another report.
  var freeUnaskedFiles: [String: String] {
    unaskedFiles.filter { name, path in
      reportFiles[name] == nil && !reportFiles.values.contains { isOneFile($0, path) }
    }
  }
}
