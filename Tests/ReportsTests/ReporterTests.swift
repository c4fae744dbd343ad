import Findings
import StressRunner
import Testing

@testable import Reports

/// The rules that every report format keeps.
@Suite("A reporter")
struct ReporterTests {
  @Test("Each format of the table has a unique name, and one format is for the terminal")
  func names() {
    #expect(Set(ReportFormat.all.map(\.name)).count == ReportFormat.all.count)
    #expect(ReportFormat.all.count { $0.destination == .terminal } == 1)
  }

  @Test("Each format's text has every judged trial, and is whole after any number of them")
  func whole() throws {
    for format in ReportFormat.all {
      for count in 0...Samples.all.count {
        let results = Array(Samples.all.prefix(count))
        let text = format.make(ReportSettings()).text(
          results, of: Samples.trials, seconds: 1, Samples.context)
        #expect(text.isEmpty || text.hasSuffix("\n"), "\(format.name)")
        // The formats of findings show only what fails the run.
        for result in results where ["text", "json", "html", "junit"].contains(format.name) {
          #expect(text.contains(result.trial.scenario.name), "\(format.name)")
          #expect(text.contains(result.trial.subject), "\(format.name)")
        }
        switch format.name {
        case "json", "sarif", "gitlab": _ = try JSONReader.read(Array(text.utf8))
        case "html", "junit": #expect(Page(text).error == nil)
        default: break
        }
      }
    }
  }

  @Test("A request for the end of a report does not change the later text")
  func endIsPure() {
    for format in ReportFormat.all {
      var reporter = format.make(ReportSettings())
      var summary = ReportSummary()
      summary.planned = Samples.trials.count
      var text = reporter.begin(Samples.trials, Samples.context)
      for result in Samples.all {
        _ = reporter.end(summary)
        text += reporter.result(result)
        summary.add(result)
      }
      summary.seconds = 1
      #expect(
        text + reporter.end(summary)
          == format.make(ReportSettings()).text(
            Samples.all, of: Samples.trials, seconds: 1, Samples.context), "\(format.name)")
    }
  }

  @Test("The text for the terminal is the lines of the trials and then the report")
  func text() {
    let plain = TextStyle(color: false)
    let line = TrialLine(Samples.trials, style: plain)
    let text = ReportFormat.text.make(ReportSettings()).text(
      Samples.all, of: Samples.trials, seconds: 12.34, Samples.context)
    let report = TextReport(context: Samples.context, style: plain, isVerbose: false).text(
      Samples.all, of: Samples.trials, seconds: 12.34, width: 120)
    let headed = Set(Samples.trials.map(\.scenario.name)).filter { name in
      Set(Samples.trials.filter { $0.scenario.name == name }.map(\.subject)).count > 1
    }
    var lines = ""
    var current = ""
    for result in Samples.all {
      let scenario = result.trial.scenario
      let isHeaded = headed.contains(scenario.name)
      if scenario.name != current, isHeaded || headed.contains(current) {
        lines += lines.isEmpty ? "" : "\n"
        lines += isHeaded ? "\(scenario.name): \(scenario.summary)\n" : ""
      }
      current = scenario.name
      lines += line.text(result, isUnderHeading: isHeaded, width: nil) + "\n"
    }
    #expect(text == lines + "\n" + report)
  }
}
