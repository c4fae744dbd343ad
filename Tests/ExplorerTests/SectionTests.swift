import CInterlockExplorer
import Foundation
import TestSupport
import Testing

/// Sections of explored threads, in pairs of bodies: one conflicts, its twin is correct.
@Suite(.serialized, .controlled, .offThePool) struct SectionTests {
  @Test(
    "sections that overlap in some order fail that order, with both sides",
    arguments: [
      "sections-unlocked", "sections-reader-and-writer", "sections-same-part", "sections-tracked",
      "sections-concurrent-queue", "sections-group-late", "sections-tasks",
    ])
  func overlap(_ body: String) throws {
    let found = try Exploration(body, "--search", "dpor")
    #expect(found.verdict == INTERLOCK_EXPLORED_RACE)
    #expect(found.status == 0)
    #expect(found.race.hasPrefix("overlap: "))
    #expect(found.race.components(separatedBy: "SectionBodies.swift:").count == 3)
    let replayed = try Exploration(body, "--replay", found.choices, "--facts", found.facts)
    #expect(replayed.executions == 1)
    #expect(replayed.verdict == INTERLOCK_EXPLORED_RACE)
    #expect(replayed.race == found.race)
    #expect(replayed.hash == found.hash)
  }

  @Test(
    "sections that a lock, a queue or a join orders are no race in any order",
    arguments: [
      "sections-locked", "sections-readers", "sections-parts", "sections-tracked-locked",
      "sections-joined", "sections-semaphore", "sections-serial-queue", "sections-barrier-queue",
      "sections-group", "sections-actor",
    ])
  func ordered(_ body: String) throws {
    let finished = try Exploration(
      body, "--search", "dpor", "--follow-order", "--executions", "100000")
    #expect(finished.verdict == INTERLOCK_EXPLORED_PASSED, "\(finished.text)")
    #expect(finished.isComplete)
    #expect(finished.race == "")
    let sampled = try Exploration(body, "--follow-order", "--executions", "3000")
    #expect(sampled.verdict == INTERLOCK_EXPLORED_PASSED, "\(sampled.text)")
  }

  @Test("two writers under a lock have two orders, and two readers without a lock have one")
  func counts() throws {
    #expect(try Exploration("sections-locked", "--search", "dpor").executions == 2)
    #expect(try Exploration("sections-readers", "--search", "dpor").executions == 1)
  }

  @Test(
    "sections without any ordering are a race even in an order in which they do not overlap",
    arguments: ["sections-unlocked", "sections-tracked", "sections-same-part"])
  func unordered(_ body: String) throws {
    let facts = String(INTERLOCK_FACT_SECTIONS.rawValue)
    let overlaps = try Exploration(body, "--replay", "", "--facts", facts)
    #expect(overlaps.verdict == INTERLOCK_EXPLORED_PASSED)
    let followed = try Exploration(body, "--replay", "", "--facts", facts, "--follow-order")
    #expect(followed.verdict == INTERLOCK_EXPLORED_RACE)
    #expect(followed.race.hasPrefix("unordered: "))
  }

  @Test("a section that a deadlock leaves open conflicts with no section of the next order")
  func leftOpen() throws {
    let explored = try Exploration(
      "sections-left-open", "--keep-going", "--executions", "300", "--follow-order")
    #expect(explored.verdict == INTERLOCK_EXPLORED_DEADLOCK)
    #expect(explored.failures > 0)
    #expect(explored.failures < 300)
  }

  @Test("a Mutex that a section locks orders sections as any lock does")
  func mutex() throws {
    let finished = try Exploration("sections-mutex", "--search", "dpor", "--follow-order")
    #expect(finished.verdict == INTERLOCK_EXPLORED_PASSED, "\(finished.text)")
    #expect(finished.isComplete)
    #expect(finished.escaped == "")
    #expect(finished.executions == 2)
    let lost = try Exploration("sections-mutex-in-steps", "--search", "dpor", "--follow-order")
    #expect(lost.verdict == INTERLOCK_EXPLORED_FAILED)
  }

  @Test("the search tries the orders of unprotected code between sync points")
  func syncPoints() throws {
    let found = try Exploration("sync-points", "--search", "dpor")
    #expect(found.verdict == INTERLOCK_EXPLORED_FAILED)
    let finished = try Exploration("sync-points-locked", "--search", "dpor")
    #expect(finished.verdict == INTERLOCK_EXPLORED_PASSED)
    #expect(finished.isComplete)
  }
}
