import Foundation
import Interlock
import TestSupport
import Testing

@testable import InterlockStress

@Suite("The manual page", .offThePool)
struct ManualPageTests {
  private static let hasGroff = ["/usr/bin/groff", "/usr/local/bin/groff"]
    .contains { FileManager.default.isExecutableFile(atPath: $0) }

  private func page(_ command: String = "interlock") throws -> (text: String, folder: TestWorld) {
    let test = try TestWorld()
    var world = test.world
    world.command = command
    #expect(world.perform(["man"]) == .met)
    return (test.output.text, test)
  }

  @Test("The manual page has every command, option and exit code")
  func complete() throws {
    let text = try page().text
    for command in CommandName.allCases {
      #expect(text.contains(".SH \"COMMAND \(command.rawValue.uppercased())\"\n"))
      for option in command.options {
        let name = option.name.replacing("-", with: "\\-")
        #expect(text.contains("\\fB\\-\\-\(name)\\fR"), "\(option.name)")
      }
    }
    for code in ["0", "1", "4", "64", "65", "70", "130"] {
      #expect(text.contains(".TP\n\\fB\(code)\\fR\n"))
    }
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test("groff formats the manual page without a warning", .enabled(if: hasGroff))
  func groff() throws {
    for name in ["interlock", "it's \"odd\".\\n"] {
      let (text, test) = try page(name)
      let file = test.folder + "/page.1"
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      let words = ["groff", "-ww", "-man", "-Tutf8", file]
      let result = try Subprocess.run(words, in: test.folder)
      #expect(result.code == 0 && result.errors == "", "\(result.errors)")
      // Without bold, which is overstruck or coloured.
      let shown = String(decoding: result.output, as: UTF8.self)
        .replacing(/\u{1B}\[[0-9;]*m/, with: "").replacing(/.\u{8}/, with: "")
      #expect(shown.contains("--update-baseline"))
    }
  }
}
