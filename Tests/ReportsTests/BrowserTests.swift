import Foundation
import StressRunner
import TestSupport
import Testing

@testable import Reports

private let browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
  .first { FileManager.default.isExecutableFile(atPath: $0) }

/// The page of a run in a real browser. The tests check what its script does, not pixels.
@Suite("The page of a run in a browser", .offThePool, .enabled(if: browser != nil))
struct BrowserTests {
  /// Opens a page, runs a script in it, and returns what the script left in the element `answer`.
  private func answer(_ page: String, _ script: String, width: Int = 1000) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("page-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // The policy admits only the page's own script, and the test adds a script.
    let policy = try #require(page.firstMatch(of: /<meta http-equiv="Content-Security[^>]*>/))
    let open = page.replacingCharacters(in: policy.range, with: "")
      .replacing(
        "</body>",
        with: """
          <pre id="answer"></pre>
          <script>
          var lines = [];
          addEventListener("error", function (event) { lines.push("error: " + event.message); });
          function all(words) { return Array.from(document.querySelectorAll(words)); }
          \(script)
          document.getElementById("answer").textContent = lines.join("\\n") + "\\n";
          </script></body>
          """)
    try open.write(toFile: folder + "/page.html", atomically: true, encoding: .utf8)
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: try #require(browser))
    process.arguments = [
      "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(folder)/profile",
      "--window-size=\(width),800", "--dump-dom", "file://\(folder)/page.html",
    ]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let found = try #require(text.firstMatch(of: /<pre id="answer">([^<]*)</))
    return found.output.1.split(separator: "\n").map(String.init)
  }

  private func html(_ results: [TrialResult]) -> String {
    HTMLReport(results, of: results.map(\.trial), seconds: 1, context: Samples.context).text
  }

  @Test("A page's filter shows the trials with its words, or only the unexpected trials on request")
  func filter() throws {
    let lines = try answer(
      html(Samples.all),
      """
      var words = document.querySelector("input[type=search]");
      var unmet = document.querySelector("input[type=checkbox]");
      function sections() {
        return all("main > section").filter(function (s) { return !s.hidden; })
          .map(function (s) { return s.querySelector("h2").textContent; }).join(", ");
      }
      lines.push(document.querySelector(".filter").hidden, sections().includes("unlocked"));
      words.value = "writes mutex";
      words.dispatchEvent(new Event("input"));
      lines.push(sections(), document.querySelector(".filter output").textContent);
      words.value = "";
      unmet.checked = true;
      unmet.dispatchEvent(new Event("change"));
      lines.push(sections().includes("concurrent-reads on semaphore-over-async"));
      lines.push(sections().includes("thousand-and-one-writes on mutex"));
      dispatchEvent(new KeyboardEvent("keydown", { key: "/" }));
      lines.push(document.activeElement === words);
      """)
    try #require(lines.count == 7, "\(lines)")
    #expect(lines[0] == "false" && lines[1] == "true")
    #expect(lines[2] == "thousand-and-one-writes on mutex")
    #expect(lines[3].wholeMatch(of: /\d+ of \d+ rows and 1 of \d+ explanations shown/) != nil)
    // The deadlock is expected, and the violation is not.
    #expect(lines[4...] == ["false", "true", "true"])
  }

  @Test("Buttons and a slider on the page step through an order that failed")
  func steps() throws {
    let lines = try answer(
      html([ScheduleSample.result]),
      """
      var slider = document.querySelector(".steps input");
      var words = document.querySelector(".steps output");
      var rows = all("table.interleaving tbody tr");
      lines.push(slider.max === String(rows.length), all("tr.now").length);
      slider.value = 1;
      slider.dispatchEvent(new Event("input"));
      lines.push(words.textContent, rows[0].className, rows[1].className);
      all(".steps button")[1].click();
      lines.push(words.textContent, all("tr.now").length, rows[1].className);
      """)
    try #require(lines.count == 8, "\(lines)")
    #expect(lines[0] == "true" && lines[1] == "0")
    #expect(lines[2].hasPrefix("step 1 of ") && lines[3] == "now" && lines[4] == "later")
    #expect(lines[5].hasPrefix("step 2 of ") && lines[6] == "1" && lines[7] == "now")
  }

  @Test("No page is wider than a narrow screen, and nothing is loaded")
  func narrow() throws {
    for results in [Samples.all, [ScheduleSample.result], [Hangs.certain]] {
      let lines = try answer(
        html(results),
        """
        document.documentElement.style.width = "420px";
        lines.push(document.documentElement.scrollWidth > 500 ? "wide" : "fits");
        lines.push(performance.getEntriesByType("resource").length);
        all("details").forEach(function (d) { d.open = true; });
        all("main *").forEach(function (e) {
          var right = e.getBoundingClientRect().right;
          if (right > 420.5 && !e.closest(".scroll")) lines.push(e.outerHTML.slice(0, 80));
        });
        """, width: 500)
      #expect(lines == ["fits", "0"])
    }
  }
}
