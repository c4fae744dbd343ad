internal import CInterlockMemory
internal import Foundation
internal import Interlock
internal import ProcessInspection

/// User code in this executable that is compiled without the option.
enum PlainCode {
  /// The sorted names of source files whose unchecked code may order the two accesses of a race;
  /// empty if there are none.
  static func files(ordering race: interlock_memory_race) -> [String] {
    let callers = [race.before, race.now].map(users(calling:))
    let isGiven = race.is_given || !callers[0].isEmpty
    let isTaken = race.is_taken || !callers[1].isEmpty
    // A function called from unchecked code returns to it, so unchecked code has run before.
    let isCalled = isGiven && isTaken && !callers.joined().isEmpty
    guard race.may_be_ordered || isCalled else { return [] }
    return Set((callers.joined() + called).compactMap(name)).sorted()
  }

  private static func name(_ frame: StackFrame) -> String? {
    frame.file?.split(separator: "/").last.map(String.init)
  }

  /// The frames of unchecked user code in the stack of an access.
  private static func users(calling side: interlock_memory_side) -> [StackFrame] {
    users(at: MemoryRace.Side.addresses(of: side).filter(interlock_memory_is_plain))
  }

  /// The functions of unchecked user code that checked code has called.
  private static var called: [StackFrame] {
    let list = List()
    interlock_memory_visit_plain_code(
      { context, function in
        guard let context else { return }
        // Add one byte: symbolication treats the address as a return address, and looks before it.
        Unmanaged<List>.fromOpaque(context).takeUnretainedValue().addresses.insert(function + 1)
      }, Unmanaged.passUnretained(list).toOpaque())
    return users(at: Array(list.addresses))
  }

  private final class List {
    var addresses: Set<UInt> = []
  }

  /// Leaves out this package and the toolchain, of which only headers are compiled in.
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

  /// The package's source folder. `OwnCode` knows only the targets of products that were started,
  /// not all that are linked.
  private static let ownSources =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
    + "/"
}
