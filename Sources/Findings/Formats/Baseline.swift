import Foundation

extension FindingFormat {
  /// A baseline: the entries of the file, and the new findings. No entry is removed, because a
  /// process need not run every test. A file that is not a baseline is left unchanged.
  package static let baseline = FindingFormat(
    name: "baseline", summary: "A baseline.", destination: .file
  ) { findings, context in
    let path = context.path ?? ""
    var known = KnownFindings()
    if FileManager.default.fileExists(atPath: path) {
      do throws(ProcessBaseline.Problem) {
        known = try ProcessBaseline.read(path)
      } catch {
        let problem = "interlock: the baseline is not updated: \(error.message)\n"
        _ = writeWhole(Array(problem.utf8), to: STDERR_FILENO)
        return nil
      }
    }
    let day = ProcessBaseline.day(of: Date())
    return known.updated(
      by: findings, trials: { _ in [] }, KnownFindings.Run(), reason: "accepted on \(day)"
    ).text
  }
}
