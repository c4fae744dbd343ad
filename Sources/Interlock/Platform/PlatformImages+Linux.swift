#if os(Linux)
internal import CMarks
internal import Glibc
internal import Runtime
internal import SectionTable

/// The binary images of this process and their symbols, by the toolchain's `Runtime` module
/// (SE-0419).
struct PlatformImages {
  private var map: ImageMap?
  private var librariesLoaded: UInt64 = 0
  private var architecture: String?

  private static let shared = Guarded(PlatformImages())

  /// The system thread id of the symbolicating thread; `nil` while there is none.
  static var thread: Int? { SymbolThread.shared.number }

  static func list() { _ = shared.withLock { $0.currentMap() } }

  static func frames(_ addresses: [UInt], onOwnThread: Bool = true) -> [NamedFrame] {
    list()
    guard hasRoom else { return unnamed(addresses) }
    guard onOwnThread else { return frames(addresses, places(of: addresses)) }
    return SymbolThread.shared.run { frames(addresses, places(of: addresses)) }
      ?? unnamed(addresses)
  }

  /// The memory needed to read an executable of tens of megabytes.
  private static let neededBytes: UInt = 128 << 20

  /// True if the process may map the memory that symbols need. The runtime ends a process when an
  /// allocation fails.
  private static var hasRoom: Bool {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
      limit.rlim_cur != rlim_t(bitPattern: -1)
    else { return true }
    let sizes = (try? Platform.contents(of: "/proc/self/statm", atMost: 4096)) ?? nil
    let pages = sizes.flatMap { UInt(String(decoding: $0.prefix { $0 != 0x20 }, as: UTF8.self)) }
    return UInt(limit.rlim_cur) >= (pages ?? 0) * UInt(sysconf(Int32(_SC_PAGESIZE))) + neededBytes
  }

  /// The functions of addresses. Without `places`, `Runtime` reads the debug information.
  static func frames(
    _ addresses: [UInt], _ places: [UInt: [LineSymbolizer.Place]]?,
    showsInlined: Bool = showsInlined
  ) -> [NamedFrame] {
    let (map, architecture) = shared.withLock { ($0.currentMap(), $0.currentArchitecture()) }
    var options: Backtrace.SymbolicationOptions = .useSymbolCache
    if places == nil {
      options.insert(.showSourceLocations)
      if showsInlined { options.insert(.showInlineFrames) }
    }
    // `Backtrace` has no public initialiser from addresses, but it can be decoded.
    guard let architecture,
      let backtrace = try? Backtrace(
        from: BacktraceSource(architecture: architecture, addresses: addresses)),
      let symbolicated = backtrace.symbolicated(with: map, options: options)
    else { return unnamed(addresses) }
    return symbolicated.frames.flatMap { named($0, places) }
  }

  /// The places from the symbolizer; `nil` without it. Not used in an explored execution: the
  /// explorer would take its calls for steps of the user's code.
  private static func places(of addresses: [UInt]) -> [UInt: [LineSymbolizer.Place]]? {
    guard ExploredSections.execution == nil else { return nil }
    return LineSymbolizer.shared.withLock { $0.places(of: addresses) }
  }

  /// True if frames of inlined functions are shown. Unoptimised code has hardly any, and looking
  /// for them doubles the time.
  static var showsInlined: Bool {
    #if DEBUG
    false
    #else
    true
    #endif
  }

  private static func unnamed(_ addresses: [UInt]) -> [NamedFrame] {
    addresses.map { NamedFrame(frame: StackFrame(address: $0)) }
  }

  /// A function named by `Runtime`, after the functions inlined into it.
  private static func named(
    _ frame: SymbolicatedBacktrace.Frame, _ places: [UInt: [LineSymbolizer.Place]]?
  ) -> [NamedFrame] {
    guard var function = named(frame) else { return [] }
    guard let places else { return [function] }
    let own = places[function.frame.address] ?? []
    (function.frame.file, function.frame.line) = (own.last?.file, own.last?.line)
    function.column = own.last?.column
    let inlined = own.dropLast().map { place in
      var frame = function.frame
      frame.function = place.function.map { StackFrame.functionName(name(of: $0)) }
      (frame.file, frame.line) = (place.file, place.line)
      return NamedFrame(
        frame: frame, symbol: place.function, column: place.column,
        isThunk: place.function.map { interlock_is_thunk($0) } ?? false)
    }
    return inlined + [function]
  }

  private static func named(_ frame: SymbolicatedBacktrace.Frame) -> NamedFrame? {
    let address = UInt("\(frame.captured.originalProgramCounter)".dropFirst(2), radix: 16) ?? 0
    guard address != 0 else { return nil }
    guard let symbol = frame.symbol else { return NamedFrame(frame: StackFrame(address: address)) }
    let location = symbol.sourceLocation
    return NamedFrame(
      frame: StackFrame(
        address: address,
        // `<unknown>` is the toolchain's name for an address without a symbol.
        function: symbol.rawName == "<unknown>" ? nil : StackFrame.functionName(symbol.name),
        file: location.map { path($0.path, of: symbol.rawName) },
        line: location?.line, image: symbol.imageName.isEmpty ? nil : symbol.imageName),
      symbol: symbol.rawName, offset: frame.inlined ? 0 : UInt(max(symbol.offset, 0)),
      column: location?.column,
      isThunk: interlock_is_thunk(symbol.rawName))
  }

  private static func name(of symbol: String) -> String {
    guard let name = interlock_backtrace_name(symbol) else { return symbol }
    defer { interlock_free_demangled(name) }
    return String(cString: name)
  }

  /// The path of a source file. The toolchain leaves the path of an inlined function's caller
  /// relative; for a file of this package it becomes absolute, which `OwnCode` needs.
  private static func path(_ path: String, of symbol: String) -> String {
    guard !path.hasPrefix("/"), let module = SymbolModule.module(of: symbol) else { return path }
    return OwnCode.path(of: path, inModule: module) ?? path
  }

  /// The image map. It is captured again only if a library has been loaded since: capturing takes
  /// 200 µs, and reads everything that is mapped at the time.
  private mutating func currentMap() -> ImageMap {
    let loaded = interlock_libraries_loaded()
    if let map, loaded == librariesLoaded { return map }
    let fresh = ImageMap.capture()
    map = fresh
    librariesLoaded = loaded
    return fresh
  }

  private mutating func currentArchitecture() -> String? {
    if architecture == nil {
      architecture = try? Backtrace.capture(algorithm: .fast, limit: 1, top: 0, images: map)
        .architecture
    }
    return architecture
  }
}
#endif
