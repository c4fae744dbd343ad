import Interlock
import StressRunner
import Testing

@testable import Reports

/// The contention coverage as text and as JSON.
struct CoverageReportTests {
  private static func resource(
    _ name: String, _ contention: CoverageReport.Contention, nearMisses: Int = 0
  ) -> CoverageReport.Resource {
    let lone = contention != .shared
    return CoverageReport.Resource(
      name: name, owners: lone ? 1 : 4, contention: contention,
      places: [
        .init(
          place: Place(file: "A.swift", line: 7, function: "f()"), mode: .noReadWrite,
          byOneOwner: lone)
      ],
      pairs: [.init(first: 0, second: 0, outcome: nearMisses > 0 ? .nearMiss : .apart)],
      overlapped: 0, nearMisses: nearMisses, apart: 1 - nearMisses)
  }

  private static func result(
    _ subject: String, _ resources: [CoverageReport.Resource]?
  ) -> TrialResult {
    Samples.result(Samples.reads, subject) { seen in
      seen.coverage = resources.map { resources in
        var report = CoverageReport()
        report.resources = resources
        return report
      }
    }
  }

  private static func text(
    _ results: [TrialResult], verbose: Bool = false, required: Bool = false
  ) -> String {
    TextReport(
      context: Samples.context, style: TextStyle(color: false), isVerbose: verbose,
      requiresContention: required
    ).text(results, of: results.map(\.trial), seconds: 1, width: 120)
  }

  @Test("One line counts the resources of coverage; untested ones are named on request")
  func short() {
    let lone = (1...5).map { Self.resource("lone\($0)", .oneOwner) }
    let text = Self.text([
      Self.result("mutex", lone + [Self.resource("shared", .shared, nearMisses: 1)]),
      Self.result("actor", []),
    ])
    #expect(
      text.contains(
        """
        coverage: 6 resources in 2 pairs of scenario and subject; 1 touched by several owners, 5 \
        not tested (--verbose names
            them); no section in 1

        """))
  }

  @Test("The coverage line breaks between words on a narrow terminal")
  func narrow() {
    let results = [Self.result("mutex", [Self.resource("a", .shared)])]
    let report = TextReport(
      context: Samples.context, style: TextStyle(color: false), isVerbose: false)
    let text = report.text(results, of: results.map(\.trial), seconds: 1, width: 40)
    #expect(
      text.contains(
        """
        coverage: 1 resource in 1 pair of
            scenario and subject; 1 touched by
            several owners, 0 not tested

        """))
  }

  @Test("An undecided oracle is a line with the subjects and the reason")
  func undecided() {
    let results = ["a", "b", "a"].map { subject in
      Samples.result(Samples.reads, subject) { seen in
        seen.undecidedOracles = [
          .init(oracle: .totalCostMatches, evidence: "the subject keeps no cost")
        ]
      }
    }
    #expect(
      Self.text(results).contains(
        "\nnot decided: total-cost-matches, on a, b: the subject keeps no cost\n"))
    #expect(
      JSONReport.entry(results[0]).contains(
        #""oracle": "total-cost-matches""#))
    #expect(!Self.text([Self.result("mutex", [])]).contains("not decided"))
  }

  @Test("--verbose shows every resource with its pairs of call sites")
  func whole() {
    let text = Self.text(
      [
        Self.result(
          "mutex",
          [Self.resource("lone", .oneOwner), Self.resource("shared", .shared, nearMisses: 1)])
      ], verbose: true)
    #expect(
      text.contains(
        """
          concurrent-reads on mutex: not tested: 'lone' was touched by one owner only, at A.swift:7
            never overlapped: write A.swift:7 and write A.swift:7
          concurrent-reads on mutex: 'shared': 4 owners; pairs of places: 0 overlapped, 1 nearly, \
        0 never
            nearly overlapped: write A.swift:7 and write A.swift:7

        """))
  }

  @Test("A resource counts as tested if one of several trials tested it")
  func repeated() {
    let results = [
      Self.result("mutex", [Self.resource("a", .oneOwner)]),
      Self.result("mutex", [Self.resource("a", .shared)]),
      Self.result("mutex", [Self.resource("a", .unknown)]),
    ]
    #expect(ResourceCoverage(results).notTested.isEmpty)
    #expect(ResourceCoverage(Array(results.prefix(1))).notTested.count == 1)
    #expect(
      ResourceCoverage([results[0], results[2]]).notTested.isEmpty, "undecided is not untested")
  }

  @Test("If contention is required, all untested resources are named, and the line has a sign")
  func required() {
    let lone = (1...5).map { Self.resource("lone\($0)", .oneOwner) }
    let text = Self.text([Self.result("mutex", lone)], required: true)
    #expect(text.contains("\n✗ coverage: 5 resources in 1 pair of scenario"))
    #expect(text.contains("'lone5'"))
    let green = Self.text(
      [Self.result("mutex", [Self.resource("a", .shared)])], required: true)
    #expect(green.contains("\n✓ coverage: 1 resource in 1 pair of scenario"))
  }

  @Test("Without a trial with coverage the report has no coverage line")
  func nothing() {
    #expect(!Self.text([Self.result("mutex", nil)]).contains("coverage:"))
    #expect(JSONReport.entry(Self.result("mutex", nil)).contains(#""exercise": null"#))
  }

  @Test("The JSON report has every resource with its call sites and pairs")
  func json() {
    let entry = JSONReport.entry(
      Self.result("mutex", [Self.resource("shared", .shared, nearMisses: 1)]))
    for text in [
      #""full": false"#, #""name": "shared""#, #""owners": 4"#, #""contention": "shared""#,
      #""nearlyMet": 1"#, #""byOneOwner": false"#, #""outcome": "nearlyMet""#,
    ] {
      #expect(entry.contains(text), "\(text)")
    }
  }
}
