package import Foundation
import Interlock

/// The old findings of this process, from the file that the option `baseline` names.
package struct ProcessBaseline: Sendable {
  /// The path of the file.
  package let path: String
  /// The content of the file.
  package let known: KnownFindings
  /// The day on which the process began, in UTC: `2026-12-31`.
  package let today: String

  /// The baseline of this process, read once; `nil` without the option. If the file cannot be read,
  /// a line says why, and no finding is known.
  package static let ofThisProcess =
    OptionVariable.ofThisProcess[BaselineOptions.self].path.flatMap(Self.init(path:))

  private init?(path: String) {
    do throws(Problem) {
      known = try Self.read(path)
    } catch {
      let problem = "interlock: INTERLOCK_OPTIONS: baseline: \(error.message)\n"
      _ = writeWhole(Array(problem.utf8), to: STDERR_FILENO)
      return nil
    }
    self.path = path
    today = Self.day(of: Date())
  }

  /// Why a finding is known; `nil` if it is new.
  package func reason(for finding: Finding) -> String? { known.reason(for: finding, on: today) }

  /// An error in a file, with the file's path.
  package struct Problem: Error {
    /// The error in one line.
    package var message: String
  }

  /// Reads a file.
  package static func read(_ path: String) throws(Problem) -> KnownFindings {
    do {
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
      guard size <= KnownFindings.mostBytes else {
        let most = KnownFindings.mostBytes
        throw Problem(message: "'\(path)' has \(size) bytes, expected at most \(most)")
      }
      return try KnownFindings(Array(Data(contentsOf: URL(fileURLWithPath: path))))
    } catch let error as Problem {
      throw error
    } catch let error as KnownFindingsError {
      throw Problem(message: "\(path):\(error.line): \(error.message)")
    } catch {
      throw Problem(message: "'\(path)' cannot be read, expected a baseline")
    }
  }

  /// The day of a date in UTC: `2026-12-31`.
  package static func day(of date: Date) -> String {
    let format = ISO8601DateFormatter()
    format.formatOptions = [.withFullDate]
    return format.string(from: date)
  }
}
