import Comparison
import Findings
import StressRunner

/// A comparison as JSON: the figures of every round. `ci/compare-schema.md` documents every key.
package enum ComparisonJSON {
  /// The name of the schema: a baseline must have the same name and version.
  package static let schema = "interlock-compare"
  /// The version of the schema.
  package static let version = 1

  /// The whole document, with a line break at its end.
  package static func text(_ report: ComparisonReport) -> String {
    let result = report.record
    let context = report.context
    let document: JSONValue = .object([
      "schema": .string(schema), "schemaVersion": .number(version),
      "tool": .object(["name": .string("interlock"), "version": .string(context.version)]),
      "host": .object([
        "os": .string(context.host.system), "cores": .number(context.host.cores),
        "swift": .string(context.host.swift), "build": .string(report.build),
      ]),
      "seed": .number(result.seed), "plannedRounds": .number(result.plannedRounds),
      "roundSeconds": .number(result.roundSeconds),
      "rate": .optional(result.rate.map { .number($0) }),
      "reference": .string(report.reference), "check": .string(result.check),
      "harness": .optional(result.overhead.map(harness)),
      "strategies": .array(result.strategies.map(strategy)),
      "cells": .array(result.cells.map { cell($0, of: result) }),
      "notes": .array(result.notes.map { .string($0) }),
      "advice": .array(Advice(result, reference: report.reference).sentences.map { .string($0) }),
    ])
    return JSONWriter.text(document) + "\n"
  }

  private static func harness(_ overhead: ComparisonRecord.Overhead) -> JSONValue {
    .object([
      "emptyNanoseconds": .number(overhead.emptyNanoseconds),
      "cheapest": .string(overhead.cheapest),
      "cheapestNanoseconds": .number(overhead.cheapestNanoseconds),
      "part": .number(overhead.part), "clockNanoseconds": .number(overhead.clockNanoseconds),
    ])
  }

  private static func strategy(_ strategy: ComparisonRecord.Strategy) -> JSONValue {
    .object([
      "name": .string(strategy.name), "summary": .string(strategy.summary),
      "bytesPerLock": .optional(strategy.bytesPerLock.map { .number($0) }),
      "fault": .optional(
        strategy.fault.map {
          .object(["verdict": .string($0.verdict), "message": .string($0.message)])
        }),
    ])
  }

  private static func cell(
    _ result: ComparisonRecord.CellResult, of comparison: ComparisonRecord
  ) -> JSONValue {
    let cell = result.cell
    let ranking = Ranking(result, of: comparison)
    return .object([
      "name": .string(cell.name), "scenario": .optional(cell.scenario.map { .string($0) }),
      "threads": .number(cell.threads), "reads": .number(cell.reads),
      "sectionNanoseconds": .number(cell.sectionNanoseconds), "keys": .number(cell.keys),
      "distribution": .string(cell.distribution.rawValue), "driver": .string(cell.driver.rawValue),
      "ranking": .array(ranking.lines.map { line($0) }),
      "rounds": .array(
        result.entries.map { entry in
          .object([
            "strategy": .string(entry.strategy), "warmUp": .number(entry.warmUp),
            "figures": .array(entry.rounds.map(round)),
          ])
        }),
    ])
  }

  private static func line(_ line: Ranking.Line) -> JSONValue {
    .object([
      "strategy": .string(line.strategy), "rounds": .number(line.rounds),
      "callsPerSecond": interval(line.throughput), "ratioToFastest": interval(line.toFirst.ratio),
      "verdict": .string(verdict(line.toFirst.verdict)),
    ])
  }

  private static func interval(_ interval: Interval) -> JSONValue {
    .object([
      "median": .number(interval.median), "low": .number(interval.low),
      "high": .number(interval.high),
    ])
  }

  private static func verdict(_ verdict: RoundPair.Verdict) -> String {
    switch verdict {
    case .faster: "faster"
    case .slower: "slower"
    case .noDifferenceSeen: "no-difference-seen"
    case .tooFewRounds: "too-few-rounds"
    }
  }

  private static func round(_ figures: RoundFigures) -> JSONValue {
    .object([
      "calls": .number(figures.operations),
      "nanoseconds": .number(Int((figures.seconds * 1e9).rounded())),
      "latencyNanoseconds": JSONValue(
        .object(
          LatencyPoint.allCases.map { point in
            .init(
              key: point.rawValue, value: .optional(figures.latencies[point].map { .number($0) }))
          })),
      "timedCalls": .number(figures.timed), "longestWaitNanoseconds": .number(figures.longestWait),
      "fairness": .number(figures.fairness), "largestShare": .number(figures.largestShare),
      "processorNanoseconds": .number(figures.processorNanoseconds),
      "voluntarySwitches": .number(figures.voluntarySwitches),
      "involuntarySwitches": .number(figures.involuntarySwitches),
      "threads": .number(figures.threads), "faults": .number(figures.faults),
    ])
  }
}
