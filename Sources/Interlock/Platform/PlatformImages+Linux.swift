#if os(Linux)
internal import CInterlock
internal import Glibc
internal import Runtime

/// The binary images of this process and their symbols, by the toolchain's own `Runtime` module
/// (SE-0419).
struct PlatformImages {
  private var map: ImageMap?
  private var librariesLoaded: UInt64 = 0
  private var architecture: String?

  private static let shared = Guarded(PlatformImages())

  /// The thread that symbolicates; `nil` while there is none.
  static var thread: Int? { SymbolThread.shared.number }

  static func list() { _ = shared.withLock { $0.currentMap() } }

  static func frames(_ addresses: [UInt], onOwnThread: Bool = true) -> [NamedFrame] {
    let (map, architecture) = shared.withLock { ($0.currentMap(), $0.currentArchitecture()) }
    guard let architecture, hasRoom else { return unnamed(addresses) }
    guard onOwnThread else { return frames(addresses, of: architecture, in: map) }
    return SymbolThread.shared.run { frames(addresses, of: architecture, in: map) }
      ?? unnamed(addresses)
  }

  /// What it takes to read an executable of tens of megabytes.
  private static let neededBytes: UInt = 128 << 20

  /// Whether the process may map the memory that symbols take: the runtime ends a process in which
  /// an allocation fails.
  private static var hasRoom: Bool {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
      limit.rlim_cur != rlim_t(bitPattern: -1)
    else { return true }
    let sizes = (try? Platform.contents(of: "/proc/self/statm", atMost: 4096)) ?? nil
    let pages = sizes.flatMap { UInt(String(decoding: $0.prefix { $0 != 0x20 }, as: UTF8.self)) }
    return UInt(limit.rlim_cur) >= (pages ?? 0) * UInt(sysconf(Int32(_SC_PAGESIZE))) + neededBytes
  }

  private static func frames(
    _ addresses: [UInt], of architecture: String, in map: ImageMap
  ) -> [NamedFrame] {
    // `Backtrace` has no public initializer from addresses, but can be decoded.
    let source = BacktraceSource(architecture: architecture, addresses: addresses)
    let lines = lines(of: addresses)
    guard let backtrace = try? Backtrace(from: source),
      let symbolicated = backtrace.symbolicated(
        with: map, options: lines == nil ? options : .useSymbolCache)
    else { return unnamed(addresses) }
    return symbolicated.frames.compactMap { named($0, lines) }
  }

  /// The lines of addresses in unoptimised code, where no function is inlined; `nil` if `Runtime`
  /// must read them.
  private static func lines(of addresses: [UInt]) -> [UInt: LineSymbolizer.Line]? {
    #if DEBUG
    // The explorer would take the calls for steps of the user's code.
    if ExploredSections.execution != nil { return nil }
    return LineSymbolizer.shared.withLock { $0.lines(of: addresses) }
    #else
    return nil
    #endif
  }

  /// Unoptimised code has no inlined functions; to look for them doubles the time.
  private static var options: Backtrace.SymbolicationOptions {
    #if DEBUG
    [.useSymbolCache, .showSourceLocations]
    #else
    [.useSymbolCache, .showSourceLocations, .showInlineFrames]
    #endif
  }

  private static func unnamed(_ addresses: [UInt]) -> [NamedFrame] {
    addresses.map { NamedFrame(frame: StackFrame(address: $0)) }
  }

  private static func named(
    _ frame: SymbolicatedBacktrace.Frame, _ lines: [UInt: LineSymbolizer.Line]?
  ) -> NamedFrame? {
    let address = UInt("\(frame.captured.originalProgramCounter)".dropFirst(2), radix: 16) ?? 0
    guard address != 0 else { return nil }
    guard let symbol = frame.symbol else { return NamedFrame(frame: StackFrame(address: address)) }
    let location =
      lines.map { $0[address] }
      ?? symbol.sourceLocation.map { LineSymbolizer.Line(file: $0.path, line: $0.line) }
    return NamedFrame(
      frame: StackFrame(
        address: address,
        // The toolchain's name for what no symbol covers.
        function: symbol.rawName == "<unknown>" ? nil : StackFrame.functionName(symbol.name),
        file: location.map { path($0.file, of: symbol.rawName) },
        line: location?.line, image: symbol.imageName.isEmpty ? nil : symbol.imageName),
      symbol: symbol.rawName, offset: frame.inlined ? 0 : UInt(max(symbol.offset, 0)),
      // The toolchain does not count a key path's accessors as thunks.
      isThunk: symbol.isSwiftThunk || ["TK", "Tk"].contains(where: symbol.rawName.hasSuffix))
  }

  /// The path of a source file. The toolchain leaves that of an inlined function's caller relative:
  /// a file of ours gets its absolute one, by which `OwnCode` knows it.
  private static func path(_ path: String, of symbol: String) -> String {
    guard !path.hasPrefix("/"), let module = SymbolModule.module(of: symbol) else { return path }
    return OwnCode.path(of: path, inModule: module) ?? path
  }

  /// The image map, captured again only if a library has been loaded since: that takes 200 µs, and
  /// reads whatever is mapped at the time.
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
