internal import CInterlockMemory
internal import Foundation
internal import Synchronization

/// Finds the global or static variable at an address, in the symbol table of its image.
enum GlobalName {
  private struct Symbol {
    var start: UInt
    var end: UInt
    var name: String
  }

  /// The variables of each image, by the image's path.
  private static let tables = Mutex<[String: [Symbol]]>([:])

  /// `Settings.count`, or the name of a C variable; `nil` if no symbol covers the address.
  static func at(_ address: UInt) -> String? {
    var start: UInt = 0
    guard let file = interlock_memory_image(address, &start) else { return nil }
    let path = String(cString: file)
    let table = tables.withLock { tables in
      if let known = tables[path] { return known }
      // The program's own path may be relative to its initial working directory.
      let isFile = path.hasPrefix("/") && FileManager.default.fileExists(atPath: path)
      let read = symbols(ofFile: isFile ? path : "/proc/self/exe")
      tables[path] = read
      return read
    }
    let offset = address - start
    return table.first { $0.start <= offset && offset < $0.end }.flatMap { shown($0.name) }
  }

  /// The variables of a 64-bit ELF file. Addresses are relative to the load address.
  private static func symbols(ofFile path: String) -> [Symbol] {
    guard let file = try? Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
    else { return [] }
    return file.withUnsafeBytes { bytes in
      func number<Number: FixedWidthInteger>(_ offset: Int, as: Number.Type) -> Int {
        guard offset >= 0, offset + MemoryLayout<Number>.size <= bytes.count else { return 0 }
        return Int(truncatingIfNeeded: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
      }
      let sections = number(40, as: UInt64.self)
      // Only position-independent files are read: others have absolute addresses.
      guard bytes.count > 64, number(16, as: UInt16.self) == 3, sections > 0 else { return [] }
      func section(_ index: Int) -> Int { sections + index * 64 }
      let indices = 0..<number(60, as: UInt16.self)
      guard let table = indices.first(where: { number(section($0) + 4, as: UInt32.self) == 2 })
      else { return [] }
      let start = number(section(table) + 24, as: UInt64.self)
      let count = number(section(table) + 32, as: UInt64.self) / 24
      let texts = section(number(section(table) + 40, as: UInt32.self))
      let names = number(texts + 24, as: UInt64.self)
      return (0..<count).compactMap { index in
        let symbol = start + index * 24
        let isObject = number(symbol + 4, as: UInt8.self) & 15 == 1
        let address = number(symbol + 8, as: UInt64.self)
        let size = number(symbol + 16, as: UInt64.self)
        let name = names + number(symbol, as: UInt32.self)
        guard isObject, size > 0, name > 0, name < bytes.count else { return nil }
        let text = bytes[name...].prefix { $0 != 0 }
        return Symbol(
          start: UInt(address), end: UInt(address + size),
          name: String(decoding: text, as: UTF8.self))
      }
    }
  }

  /// The variable's name as in the source; `nil` for a symbol that is not a variable.
  private static func shown(_ symbol: String) -> String? {
    guard symbol.hasPrefix("$s") else { return symbol.hasPrefix("_Z") ? nil : symbol }
    guard symbol.hasSuffix("vp") || symbol.hasSuffix("vpZ") else { return nil }
    guard let text = demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return nil }
    defer { free(text) }
    // Parse `static Module.Type.(name in _1234) : Swift.Int`.
    var name = String(cString: text).split(separator: " : ", maxSplits: 1).first.map(String.init)
    name = name?.replacing("static ", with: "").replacing(/\((\w+) in _\w+\)/) { $0.output.1 }
    return name.map { $0.split(separator: ".").dropFirst().joined(separator: ".") }
  }
}

/// The Swift runtime's demangler. The caller frees the text.
@_silgen_name("swift_demangle")
private func demangle(
  _ name: UnsafePointer<CChar>?, _ length: Int, _ buffer: UnsafeMutablePointer<CChar>?,
  _ size: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
