import Foundation
import StressRunner

/// Where a CI job gets Interlock from.
package struct InterlockSource: Sendable {
  /// The address that its folder was cloned from.
  package var address: String
  /// The commit that is checked out; `nil` if the remote repository does not have it yet.
  package var commit: String?

  /// The parts.
  package init(address: String, commit: String?) {
    self.address = address
    self.commit = commit
  }

  /// Asks Git; `nil` if a job could not clone the folder's origin.
  ///
  /// For the configured address: a machine may rewrite it to one of its own.
  package init?(folder: String) {
    func git(_ words: String...) -> String? {
      let result = try? Subprocess.run(["git", "-C", folder] + words, in: folder)
      guard let result, result.code == 0 else { return nil }
      return String(decoding: result.output, as: UTF8.self)
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }
    guard let address = git("config", "--get", "remote.origin.url").flatMap(Self.publicAddress)
    else {
      return nil
    }
    let isThere = git("branch", "--remotes", "--contains", "HEAD").map { !$0.isEmpty } ?? false
    self.init(address: address, commit: isThere ? git("rev-parse", "HEAD") : nil)
  }

  /// The address that a job can clone without a key: `https://host/path`; `nil` for a folder.
  static func publicAddress(_ remote: String) -> String? {
    let pattern = /(?:(https?|ssh):\/\/)?(?:[^@\/]+@)?([\w.-]+)(:\d+\/|[:\/])([^\s\\\/][^\s\\]*)/
    guard let match = remote.wholeMatch(of: pattern) else { return nil }
    let scheme = match.1 ?? (match.3 == ":" ? "ssh" : "")
    if scheme.isEmpty { return nil }
    // A port of SSH is none of HTTPS.
    let separator = scheme == "ssh" ? "/" : match.3
    return "\(scheme == "ssh" ? "https" : scheme)://\(match.2)\(separator)\(match.4)"
  }
}
