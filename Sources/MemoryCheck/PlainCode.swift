internal import CInterlockMemory
internal import Foundation
internal import Interlock
internal import ProcessInspection

/// The user's code in this executable that is compiled without the option.
enum PlainCode {
  /// The files of C and the modules of Swift, sorted: `Legacy`, `queue.c`. Found at the first use:
  /// it reads the executable's functions.
  static let names: [String] = {
    let list = List()
    interlock_memory_visit_plain_code(
      { context, module, length, function in
        guard let context else { return }
        let name = module.map {
          String(decoding: UnsafeRawBufferPointer(start: $0, count: length), as: UTF8.self)
        }
        Unmanaged<List>.fromOpaque(context).takeUnretainedValue()
          .functions.append((name, function))
      }, Unmanaged.passUnretained(list).toOpaque())
    return list.names
  }()

  private final class List {
    var functions: [(module: String?, address: UInt)] = []

    /// Without this package and the toolchain, whose headers only are here.
    var names: [String] {
      // One byte on, as a return address, from which symbols look back.
      let frames = symbolicate(functions.map { $0.address + 1 })
      let found = Dictionary(frames.map { ($0.address, $0) }, uniquingKeysWith: { $1 })
      return Set(
        functions.compactMap { module, address in
          guard let frame = found[address + 1], let file = frame.file, !frame.isSystem,
            !file.hasPrefix(PlainCode.ownSources),
            !["/usr/include/", "/usr/lib/"].contains(where: file.contains),
            FileManager.default.isReadableFile(atPath: file)
          else { return nil }
          return module ?? file.split(separator: "/").last.map(String.init)
        }
      ).sorted()
    }
  }

  /// `OwnCode` has the targets of products that were started, not all that are linked.
  private static let ownSources =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
    + "/"
}
