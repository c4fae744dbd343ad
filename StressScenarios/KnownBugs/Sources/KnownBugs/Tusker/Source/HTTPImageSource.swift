import Dispatch
import Foundation
import Synchronization

/// Loads `http://127.0.0.1:PORT/PATH`, each task over its own connection, with `URLSession`'s limit
/// of concurrent connections to one host, and completes on one serial queue as `URLSession` does.
///
/// Loopback only: the client of `LoopbackImageServer`; it resolves no host names.
package final class HTTPImageSource: ImageSource, Sendable {
  private static let longestBody = 1 << 28

  /// Serial queues, so that a waiting connection blocks no thread of the shared pool.
  private let connections = (0..<6).map { number in
    DispatchQueue(label: "interlock.imagecache.source-connection-\(number)")
  }
  private let turn = Atomic<Int>(0)
  private let completions = DispatchQueue(label: "interlock.imagecache.source-completions")

  /// Makes a source without connections.
  package init() {}

  /// Makes a task that connects once it is started.
  package func makeTask(
    for url: String,
    completion: @escaping @Sendable (Result<[UInt8], ImageSourceError>) -> Void
  ) -> any ImageTask {
    // Relaxed: any spread over the queues will do.
    let number = turn.wrappingAdd(1, ordering: .relaxed).oldValue
    let connection = connections[Int(UInt(bitPattern: number) % UInt(connections.count))]
    return HTTPImageTask(url) { [completions] task in
      connection.async {
        let result = task.load(longestBody: Self.longestBody)
        completions.async { completion(result) }
      }
    }
  }
}

/// One connection.
///
/// `@unchecked Sendable`: all mutable state is under `lock`.
private final class HTTPImageTask: ImageTask, @unchecked Sendable {
  private let url: String
  private let start: @Sendable (HTTPImageTask) -> Void
  private let lock = NSLock()
  private var socket: LoopbackSocket?
  private var isCancelled = false

  init(_ url: String, start: @escaping @Sendable (HTTPImageTask) -> Void) {
    self.url = url
    self.start = start
  }

  func resume() { start(self) }

  func cancel() {
    lock.withLock {
      isCancelled = true
      socket?.shutDown()
    }
  }

  func load(longestBody: Int) -> Result<[UInt8], ImageSourceError> {
    guard let (port, path) = Self.target(of: url) else { return .failure(.unsupportedURL) }
    do {
      let socket = try LoopbackSocket.unconnected()
      defer { close(socket) }
      guard open(socket) else { return .failure(.cancelled) }
      try socket.connect(port: port)
      let request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
      try socket.send(Array(request.utf8))
      return try Self.body(from: socket, longest: longestBody)
    } catch {
      return .failure(lock.withLock { isCancelled } ? .cancelled : .connection("\(error)"))
    }
  }

  /// Makes the socket known to `cancel()`; returns whether the task was not cancelled before.
  private func open(_ socket: LoopbackSocket) -> Bool {
    lock.withLock {
      if !isCancelled { self.socket = socket }
      return !isCancelled
    }
  }

  private func close(_ socket: LoopbackSocket) {
    lock.withLock { self.socket = nil }
    socket.close()
  }

  private static func body(
    from socket: LoopbackSocket, longest: Int
  ) throws -> Result<[UInt8], ImageSourceError> {
    let head = try HTTPHead.read(from: socket)
    guard head.firstLine[0].hasPrefix("HTTP/1."), let status = Int(head.firstLine[1]) else {
      throw HTTPHead.Fault.malformed
    }
    guard status == 200 else { return .failure(.status(status)) }
    guard let length = head.contentLength, length <= longest else {
      return .failure(.connection("the body has no length, or is too long"))
    }
    var body = head.beginningOfBody
    while body.count < length {
      let more = try socket.receive(limit: min(65536, length - body.count))
      guard !more.isEmpty else { throw HTTPHead.Fault.broken }
      body += more
    }
    return .success(Array(body.prefix(length)))
  }

  /// The port and the path of a supported URL; the path begins with `/`, without spaces or control
  /// characters.
  private static func target(of url: String) -> (port: UInt16, path: String)? {
    let prefix = "http://127.0.0.1:"
    guard url.hasPrefix(prefix), url.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else { return nil }
    let rest = url.dropFirst(prefix.count)
    guard let slash = rest.firstIndex(of: "/"), let port = UInt16(rest[..<slash]) else {
      return nil
    }
    return (port, String(rest[slash...]))
  }
}
