import Foundation
import StressRunner

/// The source from which a CI job gets Interlock.
package struct InterlockSource: Sendable {
  /// The address from which the folder was cloned.
  package var address: String
  /// The checked-out commit; `nil` if the remote repository does not have it yet.
  package var commit: String?

  /// Creates a source.
  package init(address: String, commit: String?) {
    self.address = address
    self.commit = commit
  }

  /// Asks Git for the source; `nil` if a job could not clone the folder's origin.
  ///
  /// The configured address is used, because a machine may rewrite it to an address of its own.
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

  /// The address that a job can clone without a key, as `https://host/path`; `nil` for a folder.
  static func publicAddress(_ remote: String) -> String? {
    let pattern = /(?:(https?|ssh):\/\/)?(?:[^@\/]+@)?([\w.-]+)(:\d+\/|[:\/])([^\s\\\/][^\s\\]*)/
    guard let match = remote.wholeMatch(of: pattern) else { return nil }
    let scheme = match.1 ?? (match.3 == ":" ? "ssh" : "")
    if scheme.isEmpty { return nil }
    // Drop an SSH port, which is not valid for HTTPS.
    let separator = scheme == "ssh" ? "/" : match.3
    return "\(scheme == "ssh" ? "https" : scheme)://\(match.2)\(separator)\(match.4)"
  }
}
