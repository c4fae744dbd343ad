import Reports
import Foundation
import StressRunner

/// The workflow file of a CI service.
struct WorkflowFile {
  /// The path, relative to the repository.
  let path: String
  let text: String
  /// A sentence about what remains to be done; `nil` for nothing.
  let note: String?

  /// The folder of failing orders, in the package. It is not hidden, because hidden folders are not
  /// uploaded.
  private static let orders = "interlock-orders"

  /// The way in which a job gets Interlock.
  enum Fetch {
    /// Interlock is in the repository, or in a submodule.
    case repository
    /// The job clones Interlock into a folder, relative to the package.
    case clone(InterlockSource, into: String)
  }

  /// Creates the file for a service; `nil` for no service.
  ///
  /// - Parameters:
  ///   - service: The service.
  ///   - folder: The package's folder, relative to the repository; empty for its root.
  ///   - fetch: The way in which the job gets Interlock.
  ///   - executable: The stress executable; `nil` if the package has none.
  init?(
    _ service: InitOptions.Service, folder: String, fetch: Fetch, executable: String?
  ) {
    // Do not set the option for the executable: it refuses options of products that it does not
    // link.
    let runs =
      fetch.commands + ["INTERLOCK_OPTIONS=hang_limit=60 swift test"]
      + (executable.map { ["swift run \($0) gate"] } ?? [])
    let place = (folder.isEmpty ? "" : folder + "/") + Self.orders
    switch service {
    case .none: return nil
    case .github:
      path = ".github/workflows/interlock.yml"
      let steps = runs.map { run in
        "      - run: \(Self.quoted(run))\n"
          + (folder.isEmpty ? "" : "        working-directory: \(Self.quoted(folder))\n")
      }
      text = """
        # The tests; if they hang, they end with a report of which thread waits for what.
        name: interlock
        on: [push, pull_request]
        jobs:
          test:
            runs-on: ubuntu-latest
            container: swift:6.3
            timeout-minutes: 30
            env:
              # Where explored tests keep the orders that fail.
              INTERLOCK_EXPLORE_CORPUS: \(Self.orders)
            steps:
              - uses: actions/checkout@v4
                with:
                  submodules: recursive

        """ + steps.joined() + """
                - uses: actions/upload-artifact@v4
                  if: always()
                  with:
                    name: \(Self.orders)
                    path: \(Self.quoted(place))
                    if-no-files-found: ignore

          """
      note = nil
    case .gitlab:
      path = ".gitlab/interlock.yml"
      let change = folder.isEmpty ? "" : "    - cd \(Self.quoted(folder))\n"
      let script = runs.map { "    - \(Self.quoted($0))\n" }.joined()
      let report = """
            reports:
              codequality: gl-code-quality-report.json

        """
      text = """
        # The tests; if they hang, they end with a report of which thread waits for what.
        interlock:
          image: swift:6.3
          timeout: 30 minutes
          variables:
            GIT_SUBMODULE_STRATEGY: recursive
            # Where explored tests keep the orders that fail.
            INTERLOCK_EXPLORE_CORPUS: \(Self.orders)
          script:
        \(change)\(script)  artifacts:
            when: always
            paths:
              - \(Self.quoted(place))
        \(executable == nil ? "" : report)
        """
      note = "Add to .gitlab-ci.yml: include: { local: .gitlab/interlock.yml }."
    }
  }

  /// The service of a repository, by its files or otherwise by its remotes; `nil` if both are
  /// unknown.
  static func service(ofRepository root: String) -> InitOptions.Service? {
    let exists = { FileManager.default.fileExists(atPath: root + $0) }
    if exists("/.gitlab-ci.yml") { return .gitlab }
    if exists("/.github") { return .github }
    let config = (try? RegularFile.read(root + "/.git/config")) ?? []
    let remotes = String(decoding: config, as: UTF8.self).split(separator: "\n")
      .filter { $0.contains("url = ") }
    if remotes.contains(where: { $0.contains("gitlab") }) { return .gitlab }
    return remotes.contains { $0.contains("github.com") } ? .github : nil
  }

  /// Quotes a text as a word of YAML.
  private static func quoted(_ text: String) -> String {
    let plain = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || " -_./:='".utf8.contains(byte)
    }
    return plain && text.first != "'" && !(text + " ").contains(": ")
      ? text : "'" + text.replacing("'", with: "''") + "'"
  }
}

extension WorkflowFile.Fetch {
  /// The shell commands that fetch Interlock.
  fileprivate var commands: [String] {
    guard case .clone(let source, let folder) = self else { return [] }
    let words = { (words: [String]) in words.map(shellWord).joined(separator: " ") }
    return [words(["git", "clone", source.address, folder])]
      + (source.commit.map { [words(["git", "-C", folder, "checkout", $0])] } ?? [])
  }
}
