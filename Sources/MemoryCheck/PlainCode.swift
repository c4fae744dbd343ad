internal import CInterlockMemory
internal import Foundation
internal import Interlock
internal import ProcessInspection

/// The user's code in this executable that is compiled without the option.
enum PlainCode {
  /// The source files of the code that may order the two accesses of a race, by name, sorted; empty
  /// if none may.
  static func files(ordering race: interlock_memory_race) -> [String] {
    let callers = [race.before, race.now].map(users(calling:))
    let isGiven = race.is_given || !callers[0].isEmpty
    let isTaken = race.is_taken || !callers[1].isEmpty
    // A function that such code has called returns to it, and it has run before.
    let isCalled = isGiven && isTaken && !callers.joined().isEmpty
    guard race.may_be_ordered || isCalled else { return [] }
    return Set((callers.joined() + called).compactMap(name)).sorted()
  }

  private static func name(_ frame: StackFrame) -> String? {
    frame.file?.split(separator: "/").last.map(String.init)
  }

  /// The frames of such code in the stack of an access.
  private static func users(calling side: interlock_memory_side) -> [StackFrame] {
    users(at: MemoryRace.Side.addresses(of: side).filter(interlock_memory_is_plain))
  }

  /// The functions of such code that checked code has called.
  private static var called: [StackFrame] {
    let list = List()
    interlock_memory_visit_plain_code(
      { context, function in
        guard let context else { return }
        // One byte on, as a return address, from which symbols look back.
        Unmanaged<List>.fromOpaque(context).takeUnretainedValue().addresses.insert(function + 1)
      }, Unmanaged.passUnretained(list).toOpaque())
    return users(at: Array(list.addresses))
  }

  private final class List {
    var addresses: Set<UInt> = []
  }

  /// Without this package and the toolchain, whose headers only are here.
  private static func users(at addresses: [UInt]) -> [StackFrame] {
    if addresses.isEmpty { return [] }
    return symbolicate(addresses).filter { frame in
      guard let file = frame.file, !frame.isSystem, !file.hasPrefix(ownSources) else {
        return false
      }
      return !["/usr/include/", "/usr/lib/"].contains(where: file.contains)
        && FileManager.default.isReadableFile(atPath: file)
    }
  }

  /// `OwnCode` has the targets of products that were started, not all that are linked.
  private static let ownSources =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
    + "/"
}
