import CInterlockExplorer
import Findings
import Foundation
import InterlockStress
import StressRunner

/// A reader of texts that users, other machines and earlier versions write.
package struct FuzzedReader: Sendable {
  /// The name of the reader, as in `ci/checks/fuzz.sh`.
  package var name: String
  /// Reads an input.
  package var read: @Sendable ([UInt8]) -> Outcome

  /// Inputs that the reader accepts, which are mutated: the files of its folder in `Seeds`.
  package var seeds: [[UInt8]] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Seeds/\(name)").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().compactMap { name in
      FileManager.default.contents(atPath: folder + "/" + name).map { Array($0) }
    }
  }

  /// The result of reading an input.
  package enum Outcome: Sendable, Hashable {
    case accepted
    /// The input is refused with this line.
    case refused(String)
    /// The reader itself is wrong: its message is not one line, or an accepted value changes when
    /// it is written and read again.
    case wrong(String)
  }

  /// All readers.
  package static let all = [json, scenario, baseline, record, token]

  /// A message must be one line without control characters: it is printed on a terminal.
  private static func refused(_ text: String) -> Outcome {
    text.isEmpty || text.unicodeScalars.contains { $0.properties.generalCategory == .control }
      ? .wrong("the message is not one plain line: \(text.debugDescription)") : .refused(text)
  }

  /// Compares an accepted text with the text of the value that is read from it again.
  private static func accepted(_ text: String, again: String) -> Outcome {
    again == text ? .accepted : .wrong("differs when it is read again: \(text)")
  }

  /// The reader of JSON. An accepted value is read again from its own text.
  static let json = FuzzedReader(name: "json") { bytes in
    do throws(JSONError) {
      let value = try JSONReader.read(bytes)
      let text = JSONWriter.line(value)
      let again = try JSONReader.read(Array(text.utf8))
      // Line numbers differ; the text has everything else.
      return accepted(text, again: JSONWriter.line(again))
    } catch {
      return refused(error.message)
    }
  }

  /// The reader of scenarios.
  static let scenario = FuzzedReader(name: "scenario") { bytes in
    do throws(ScenarioError) {
      _ = try ScenarioFile(parsing: bytes, path: "a.json")
      return .accepted
    } catch {
      return refused(error.description)
    }
  }

  /// The reader of baselines. An accepted baseline is read again from its own text.
  static let baseline = FuzzedReader(name: "baseline") { bytes in
    do throws(KnownFindingsError) {
      let text = try KnownFindings(bytes).text
      return accepted(text, again: try KnownFindings(Array(text.utf8)).text)
    } catch {
      return refused(error.message)
    }
  }

  /// The reader of records.
  static let record = FuzzedReader(name: "record") { bytes in
    faultOfRecord(bytes, path: "a.jsonl").map(refused) ?? .accepted
  }

  /// The reader of tokens. An accepted token is written unchanged.
  static let token = FuzzedReader(name: "token") { bytes in
    // The input itself, and the input with the right hash and check sum, which no mutation finds.
    let text = bytes.filter { $0 != 0 }
    let plain = read(token: text)
    if case .refused = plain {} else { return plain }
    let signed = Array("i1-".utf8) + hash("transfers".utf8, 8) + [0x2D] + text + [0x2D]
    return read(token: signed + hash(signed, 6))
  }

  private static func read(token bytes: [UInt8]) -> Outcome {
    let text = bytes.map { CChar(bitPattern: $0) } + [0]
    var schedule = interlock_schedule()
    var width: UInt32 = 0
    if let error = interlock_token_read(text, "transfers", &width, &schedule) {
      return refused(String(cString: error))
    }
    defer { interlock_schedule_destroy(&schedule) }
    // A long schedule is only read: a few bytes stand for a million choices.
    guard schedule.count < 10_000 else { return .accepted }
    var written = [CChar](repeating: 0, count: 2048 + schedule.count * 12)
    let length = interlock_token_write(&written, written.count, "transfers", width, &schedule)
    guard length < written.count else {
      return .wrong("the token is longer than its room")
    }
    var again = interlock_schedule()
    var widthAgain: UInt32 = 0
    guard interlock_token_read(written, "transfers", &widthAgain, &again) == nil else {
      return .wrong("the token that was written is refused")
    }
    defer { interlock_schedule_destroy(&again) }
    let isEqual =
      width == widthAgain && schedule.count == again.count
      && (0..<schedule.count).allSatisfy { schedule.choices[$0] == again.choices[$0] }
      && schedule.access_count == again.access_count
      && (0..<schedule.access_count).allSatisfy { schedule.accesses[$0] == again.accesses[$0] }
    return isEqual ? .accepted : .wrong("the choices differ when the token is read again")
  }

  /// The last hexadecimal digits of the hash of tokens (FNV-1a, folded to 32 bits).
  private static func hash(_ bytes: some Sequence<UInt8>, _ digits: Int) -> [UInt8] {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    let text = String(UInt32(truncatingIfNeeded: hash ^ hash >> 32), radix: 16)
    return Array((String(repeating: "0", count: 8 - text.count) + text).utf8.suffix(digits))
  }
}
