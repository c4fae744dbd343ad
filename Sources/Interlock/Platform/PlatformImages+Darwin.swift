#if canImport(Darwin)
internal import Darwin

/// The symbols of this process, by `dladdr`: functions without lines.
enum PlatformImages {
  /// No thread is needed for `dladdr`, which reads no files.
  static var thread: Int? { nil }

  /// No list is needed: `dladdr` has its own.
  static func list() {}

  static func frames(_ addresses: [UInt], onOwnThread: Bool = true) -> [NamedFrame] {
    addresses.map { address in
      var information = Dl_info()
      // Look up the previous byte: a return address behind a call that never returns may be outside
      // of the function.
      guard let pointer = UnsafeRawPointer(bitPattern: address - 1),
        dladdr(pointer, &information) != 0
      else { return NamedFrame(frame: StackFrame(address: address)) }
      let symbol = information.dli_sname.map { String(cString: $0) }
      let path = information.dli_fname.map { String(cString: $0) }
      let image = path?.split(separator: "/").last.map(String.init)
      return NamedFrame(
        frame: StackFrame(address: address, function: symbol, image: image), symbol: symbol)
    }
  }
}
#endif
