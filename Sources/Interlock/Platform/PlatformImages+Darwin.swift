#if canImport(Darwin)
internal import Darwin

/// The symbols of this process, by `dladdr`: functions without lines.
enum PlatformImages {
  /// No thread is needed: `dladdr` reads nothing.
  static var thread: Int? { nil }

  /// `dladdr` lists them.
  static func list() {}

  static func frames(_ addresses: [UInt], onOwnThread: Bool = true) -> [NamedFrame] {
    addresses.map { address in
      var information = Dl_info()
      // A return address may lie after a call that never returns: one byte before is within the
      // function.
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
