#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A call of the system that failed.
struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  let call: String
  let code: Int32

  init(_ call: String, code: Int32 = errno) {
    self.call = call
    self.code = code
  }

  var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// A TCP socket on the loopback interface. It raises no SIGPIPE, no child inherits it, and a call
/// fails if the peer is silent for `patience` seconds.
///
/// Any thread may call `shutDown()`, which wakes a thread blocked in another call; `close()` is the
/// last call.
struct LoopbackSocket: Sendable {
  private static let patience = 10
  private let descriptor: Int32

  private init(descriptor: Int32) throws(SystemError) {
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
    try setOption(SO_NOSIGPIPE, Int32(1))
    #endif
    try setOption(SO_RCVTIMEO, timeval(tv_sec: Self.patience, tv_usec: 0))
    try setOption(SO_SNDTIMEO, timeval(tv_sec: Self.patience, tv_usec: 0))
  }

  private init() throws(SystemError) {
    #if canImport(Glibc)
    let type = Int32(SOCK_STREAM.rawValue)
    #else
    let type = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, type, 0)
    guard descriptor >= 0 else { throw SystemError("socket") }
    do {
      try self.init(descriptor: descriptor)
    } catch {
      _ = systemClose(descriptor)
      throw error
    }
  }

  private func setOption<Value: BitwiseCopyable>(
    _ option: Int32, _ value: Value
  ) throws(SystemError) {
    var value = value
    let result = setsockopt(
      descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Value>.size))
    guard result == 0 else { throw SystemError("setsockopt") }
  }

  /// Listens on a port of the system's choice.
  static func listening() throws(SystemError) -> (socket: LoopbackSocket, port: UInt16) {
    let socket = try LoopbackSocket()
    do {
      var address = loopbackAddress(port: 0)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      guard withSocketAddress(&address, { bind(socket.descriptor, $0, length) }) == 0 else {
        throw SystemError("bind")
      }
      guard listen(socket.descriptor, 128) == 0 else { throw SystemError("listen") }
      guard withSocketAddress(&address, { getsockname(socket.descriptor, $0, &length) }) == 0
      else { throw SystemError("getsockname") }
      return (socket, UInt16(bigEndian: address.sin_port))
    } catch {
      socket.close()
      throw error as? SystemError ?? SystemError("listen")
    }
  }

  /// Makes a socket for `connect(port:)`; separate, so that another thread can shut it down
  /// meanwhile.
  static func unconnected() throws(SystemError) -> LoopbackSocket { try LoopbackSocket() }

  func connect(port: UInt16) throws(SystemError) {
    var address = loopbackAddress(port: port)
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    guard withSocketAddress(&address, { systemConnect(descriptor, $0, length) }) == 0 else {
      throw SystemError("connect")
    }
  }

  /// Waits for a connection; `nil` once the pipe is readable.
  func accept(wakeUp: WakeUpPipe) throws(SystemError) -> LoopbackSocket? {
    while true {
      var polled = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeUp.readEnd, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&polled, nfds_t(polled.count), -1) >= 0 || errno == EINTR else {
        throw SystemError("poll")
      }
      if polled[1].revents != 0 { return nil }
      guard polled[0].revents != 0 else { continue }
      let accepted = systemAccept(descriptor, nil, nil)
      if accepted >= 0 { return try LoopbackSocket(descriptor: accepted) }
      // The client has disconnected, or a signal interrupted the call.
      guard errno == ECONNABORTED || errno == EINTR || errno == EAGAIN else {
        throw SystemError("accept")
      }
    }
  }

  /// Reads up to `limit` available bytes; none at the end of the stream.
  func receive(limit: Int) throws(SystemError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: limit)
    while true {
      let count = recv(descriptor, &buffer, limit, 0)
      if count >= 0 { return Array(buffer.prefix(count)) }
      guard errno == EINTR else { throw SystemError("recv") }
    }
  }

  func send(_ bytes: [UInt8]) throws(SystemError) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        systemSend(descriptor, $0.baseAddress, $0.count, noSignal)
      }
      if count >= 0 {
        sent += count
      } else if errno != EINTR {
        throw SystemError("send")
      }
    }
  }

  func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  func close() { _ = systemClose(descriptor) }
}

/// Wakes a thread that waits in `LoopbackSocket.accept(wakeUp:)`.
struct WakeUpPipe: Sendable {
  let readEnd: Int32
  private let writeEnd: Int32

  init() throws(SystemError) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw SystemError("pipe") }
    (readEnd, writeEnd) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  func wakeUp() {
    var byte: UInt8 = 0
    _ = write(writeEnd, &byte, 1)
  }

  func close() {
    _ = systemClose(readEnd)
    _ = systemClose(writeEnd)
  }
}

#if canImport(Darwin)
private let noSignal: Int32 = 0  // The socket has SO_NOSIGPIPE.
#else
private let noSignal = Int32(MSG_NOSIGNAL)
#endif

private func loopbackAddress(port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  #if canImport(Darwin)
  address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
  #endif
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  return address
}

private func withSocketAddress<R>(
  _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> R
) -> R {
  withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
  }
}

// Names that the socket's own methods hide.
private let systemClose = close
private let systemConnect = connect
private let systemAccept = accept
private let systemSend = send
