import Findings
import Foundation
import Interlock
import TestSupport
import Testing

@testable import InterlockStress

/// The scripts that complete command lines, run by their shells where these are installed.
@Suite("Completions", .offThePool)
struct CompletionTests {
  private static func path(_ tool: String) -> String? {
    ["/bin/", "/usr/bin/", "/usr/local/bin/"].map { $0 + tool }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// What bash offers for the last of these words.
  private func bash(_ words: [String]) throws -> Set<String> {
    let test = try TestWorld()
    #expect(test.world.perform(["completions", "bash"]) == .met)
    let script = test.folder + "/.script"
    let list = words.map(shellQuoted).joined(separator: " ")
    let call = """
      set -u
      COMP_WORDS=(interlock \(list)) COMP_CWORD=\(words.count) COMPREPLY=()
      _interlock
      for reply in ${COMPREPLY+"${COMPREPLY[@]}"}; do echo "$reply"; done

      """
    try (test.output.text + call).write(toFile: script, atomically: true, encoding: .utf8)
    for name in ["a-file", "with a space"] {
      try "".write(toFile: test.folder + "/" + name, atomically: true, encoding: .utf8)
    }
    let result = try Subprocess.run(["bash", script], in: test.folder)
    #expect(result.errors == "" && result.code == 0)
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
    return Set(lines.map(String.init))
  }

  @Test("bash completes commands, options, values, kinds of findings and files")
  func bash() throws {
    #expect(try bash(["com"]) == ["compare", "completions"])
    #expect(try bash([""]).isSuperset(of: CommandName.allCases.map(\.rawValue)))
    #expect(try bash(["run", "--ba"]) == ["--baseline"])
    // Without a command it is 'run'.
    #expect(try bash(["--upd"]) == ["--update-baseline"])
    #expect(try bash(["run", "--color", ""]) == ["auto", "always", "never"])
    #expect(try bash(["run", "--color", "=", "al"]) == ["always"])
    #expect(try bash(["run", "--color", "="]) == ["auto", "always", "never"])
    #expect(try bash(["init", "--ci", "gi"]) == ["github", "gitlab"])
    let potential = Rule.all.map(\.id).filter { $0.hasPrefix("potential-") }
    #expect(try bash(["explain", "potential-"]) == Set(potential))
    #expect(try bash(["completions", ""]) == ["bash", "zsh", "fish"])
    #expect(try bash(["run", "--json", "a-"]) == ["a-file"])
    #expect(try bash(["run", "with"]) == ["with a space"])
    #expect(try bash(["with"]) == ["with a space"])
    #expect(try bash(["run", "--scenarios", "S"]) == ["StressScenarios"])
    #expect(try bash(["merge", "--color", "never", "a"]) == ["a-file"])
  }

  @Test("Every option of every command is in the script of each shell, and no shell refuses it")
  func complete() throws {
    for shell in Shell.allCases {
      let test = try TestWorld()
      #expect(test.world.perform(["completions", shell.rawValue]) == .met)
      let text = test.output.text
      for command in CommandName.allCases {
        #expect(text.contains(command.rawValue))
        for option in command.options {
          let spelled = shell == .fish ? " -l \(option.name) " : "--\(option.name)"
          #expect(text.contains(spelled), "\(shell) \(command) \(option.name)")
        }
      }
      guard Self.path(shell.rawValue) != nil else { continue }
      let file = test.folder + "/script"
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      let result = try Subprocess.run([shell.rawValue, "-n", file], in: test.folder)
      #expect(result.code == 0 && result.errors == "", "\(shell): \(result.errors)")
    }
  }

  @Test("A shell that is not known, or none, is one line")
  func unknown() throws {
    let test = try TestWorld()
    #expect(test.world.perform(["completions", "fis"]) == .usage)
    #expect(test.errors.text.contains("no completions for 'fis': did you mean 'fish'?"))
    #expect(test.world.perform(["completions"]) == .usage)
    #expect(test.errors.text.contains("'completions' needs a shell: bash, zsh, fish"))
  }
}
