import CMarks
import Foundation
import InterlockTestsC
import Testing

@testable import Interlock
@testable import SectionTable

/// The contention coverage of a run. Each test runs in a separate process, because coverage is
/// process-wide.
struct CoverageTests {
  @Test("a resource of one owner is not tested; one of two is, with its places and pairs")
  func owners() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .handler { _ in }
      SectionTracking.coverage = true
      let lone = Section("coverage.lone")
      let shared = Section("coverage.shared")
      lone.write(line: 1) {}
      lone.read(line: 2) {}
      shared.write(line: 3) {}
      shared.read(line: 4) {}
      onThread { shared.write(line: 3) {} }
      SectionTracking.coverage = false
      Section("coverage.later").write {}
      let report = SectionTracking.coverageReport
      precondition(report.resources.map(\.name) == ["coverage.lone", "coverage.shared"])
      precondition(report.notTested.map(\.name) == ["coverage.lone"])
      let (one, two) = (report.resources[0], report.resources[1])
      precondition(one.owners == 1 && two.owners == 2, "\(report)")
      precondition(two.contention == .shared)
      precondition(two.places.map(\.place.line) == [3, 4])
      precondition(two.places.map(\.byOneOwner) == [false, true])
      // The second thread's write came after the first's read and write.
      precondition(two.overlapped == 0 && two.nearMisses == 2 && two.apart == 0, "\(report)")
      precondition(one.nearMisses == 0 && one.apart == 2, "two reads are no pair")
      precondition(!report.isFull)
    }
  }

  @Test("a conflict is a pair that overlapped")
  func met() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .handler { _ in }
      SectionTracking.coverage = true
      let section = Section("coverage.met")
      section.begin(.noWrite, line: 1)
      onThread { section.write(line: 2) {} }
      section.end(.noWrite)
      let resource = SectionTracking.coverageReport.resources[0]
      precondition(resource.overlapped == 1 && resource.apart == 1, "\(resource)")
      precondition(resource.pairs.first?.outcome == .overlapped)
      SectionTracking.coverage = false
    }
  }

  @Test("two instances with one owner each were not tested")
  func instances() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.coverage = true
      for _ in 0..<20 { onThread { Section("coverage.instances").write {} } }
      let resource = SectionTracking.coverageReport.resources[0]
      precondition(resource.contention == .oneOwner, "\(resource)")
      precondition(resource.owners == CoverageReport.mostOwners)
      precondition(resource.nearMisses == 0)
      SectionTracking.coverage = false
    }
  }

  @Test("an object at the address of a freed one is another instance")
  func reusedAddress() async {
    final class Box: Sendable {}
    await #expect(processExitsWith: .success) {
      @Sendable func use(_ box: Box, line: UInt = #line) {
        BEGIN_LOCK(.noReadWrite, "coverage.box", of: box, line: line)
        END_LOCK(.noReadWrite, "coverage.box", of: box)
      }
      SectionTracking.coverage = true
      var addresses: [ObjectIdentifier] = []
      for _ in 0..<50 {
        let box = Box()
        addresses.append(ObjectIdentifier(box))
        onThread { use(box) }
      }
      precondition(Set(addresses).count < addresses.count, "no address was used anew")
      let alone = SectionTracking.coverageReport
      precondition(alone.notTested.map(\.name) == ["coverage.box"], "\(alone)")
      precondition(alone.resources[0].nearMisses == 0, "\(alone)")
      let shared = Box()
      onThread { use(shared) }
      onThread { use(shared) }
      let tested = SectionTracking.coverageReport
      precondition(tested.notTested.isEmpty, "\(tested)")
      SectionTracking.coverage = false
    }
  }

  @Test("an object that one owner makes and another uses is shared, however many came before it")
  func handedOver() async {
    final class Box: Sendable {}
    await #expect(processExitsWith: .success) {
      @Sendable func use(_ name: StaticString, _ box: Box) {
        BEGIN_LOCK(.noReadWrite, name, of: box)
        END_LOCK(.noReadWrite, name, of: box)
      }
      SectionTracking.coverage = true
      for _ in 0..<50 { use("coverage.one-owner", Box()) }
      let box = Box()
      use("coverage.handed-over", box)
      onThread { use("coverage.handed-over", box) }
      let report = SectionTracking.coverageReport
      precondition(report.notTested.map(\.name) == ["coverage.one-owner"], "\(report)")
      SectionTracking.coverage = false
    }
  }

  @Test("accesses to equal parts are near misses, and accesses to different parts are not")
  func parts() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.coverage = true
      let section = Section("coverage.parts")
      for key in 0..<4 { onThread { section.write(key, line: 1) {} } }
      precondition(SectionTracking.coverageReport.resources[0].nearMisses == 0)
      precondition(SectionTracking.coverageReport.resources[0].contention == .shared)
      onThread { section.write(3, line: 1) {} }
      precondition(SectionTracking.coverageReport.resources[0].nearMisses == 1)
      SectionTracking.coverage = false
    }
  }

  @Test("properties and C code are covered too, by name or by the line of the declaration")
  func otherSpellings() async {
    final class Box: @unchecked Sendable {
      @Tracked var value = 0
    }
    await #expect(processExitsWith: .success) {
      SectionTracking.coverage = true
      let box = Box()
      box.value = 1
      onThread { _ = box.value }
      c_begin_write("coverage.c")
      c_end_write("coverage.c")
      let report = SectionTracking.coverageReport
      precondition(report.resources.count == 2, "\(report)")
      precondition(report.resources[0].name.hasPrefix("property at InterlockTests/"))
      precondition(report.resources[0].contention == .shared)
      precondition(report.notTested.map(\.name) == ["coverage.c"])
      SectionTracking.coverage = false
    }
  }

  @Test("names beyond the size of the coverage table are reported missing, and nothing else fails")
  func names() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.coverage = true
      for number in 0..<3_000 {
        BEGIN_LOCK(.noWrite, "coverage.name.\(number)")
        END_LOCK(.noWrite, "coverage.name.\(number)")
      }
      let report = SectionTracking.coverageReport
      precondition(report.isFull)
      precondition(report.resources.count == CoverageTables.mostResources)
      precondition(report.summary.contains("There were more names, places or pairs"))
      SectionTracking.coverage = false
    }
  }

  @Test("instances beyond the size of the coverage table leave a name undecided, not untested")
  func manyInstances() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.coverage = true
      for _ in 0..<100_000 { Section("coverage.many").write {} }
      let report = SectionTracking.coverageReport
      precondition(report.resources[0].contention == .unknown, "\(report)")
      precondition(report.notTested.isEmpty)
      precondition(report.summary.contains("undecided: 'coverage.many' has too many instances"))
      let shared = Section("coverage.many")
      shared.write {}
      onThread { shared.write {} }
      precondition(SectionTracking.coverageReport.resources[0].contention == .shared)
      SectionTracking.coverage = false
    }
  }

  @Test("coverage records all accesses of threads at full speed")
  func racing() async {
    await #expect(processExitsWith: .success) {
      SectionTracking.onConflict = .handler { _ in }
      SectionTracking.coverage = true
      let section = Section("coverage.racing")
      let start = SpinBarrier(parties: 3)
      let threads = (0..<3).map { number in
        JoinableThread {
          start.wait()
          for _ in 0..<5_000 { section.read(line: UInt(number + 1)) {} }
        }
      }
      for thread in threads { thread.join() }
      let resource = SectionTracking.coverageReport.resources[0]
      precondition(resource.owners == 3 && resource.contention == .shared, "\(resource)")
      precondition(resource.places.count == 3)
      precondition(resource.places.allSatisfy(\.byOneOwner))
      SectionTracking.coverage = false
    }
  }
}
