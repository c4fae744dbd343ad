import Dispatch
import Foundation

/// An HTTP server on 127.0.0.1, at a port that the system chooses: for tests and for a subject that
/// loads over a real connection.
///
/// It answers `GET` with the result of `image` for the path: one request per connection, and one
/// thread per connection.
///
/// `@unchecked Sendable`: all mutable state is under `lock`.
package final class LoopbackImageServer: @unchecked Sendable {
  /// The port on which it listens.
  package let port: UInt16
  private let listener: LoopbackSocket
  private let wakeUp: WakeUpPipe
  private let image: @Sendable (_ path: String) -> [UInt8]?
  private let running = DispatchGroup()
  private let lock = NSLock()
  private var isStopped = false
  private var open: [Int: LoopbackSocket] = [:]
  private var requests: [String: Int] = [:]

  /// Starts listening.
  ///
  /// - Parameter image: Returns the body for a path that begins with `/`; `nil` for a 404. Called
  ///   on any thread.
  /// - Throws: The system's error, if it gives no socket.
  package init(image: @escaping @Sendable (_ path: String) -> [UInt8]?) throws {
    self.image = image
    wakeUp = try WakeUpPipe()
    do {
      (listener, port) = try LoopbackSocket.listening()
    } catch {
      wakeUp.close()
      throw error
    }
    running.enter()
    Thread.detachNewThread { [self] in
      accept()
      running.leave()
    }
  }

  /// The URL of a path, which begins with a slash.
  package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// How often each path was asked for.
  package var requestsByPath: [String: Int] { lock.withLock { requests } }

  /// Closes every connection, and returns when no thread of the server is left. Call it once the
  /// server is no longer needed; a second call does nothing.
  package func stop() {
    let isFirst = lock.withLock {
      defer { isStopped = true }
      for socket in open.values { socket.shutDown() }
      return !isStopped
    }
    guard isFirst else { return }
    wakeUp.wakeUp()
    running.wait()
    listener.close()
    wakeUp.close()
  }

  private func accept() {
    var number = 0
    // An error of the listener ends the server: clients are then refused.
    while let socket = try? listener.accept(wakeUp: wakeUp) {
      number += 1
      let isServed = lock.withLock { [number] in
        if !isStopped { open[number] = socket }
        return !isStopped
      }
      guard isServed else {
        socket.close()
        continue
      }
      running.enter()
      Thread.detachNewThread { [self, number] in
        // Ignore errors of the connection: the client closed it.
        try? answer(socket)
        // Remove it from the list first: `stop()` must not shut down a new socket with the same
        // descriptor.
        lock.withLock { open[number] = nil }
        socket.close()
        running.leave()
      }
    }
  }

  private func answer(_ socket: LoopbackSocket) throws {
    try socket.send(response(to: socket).encoded)
  }

  private func response(to socket: LoopbackSocket) throws -> HTTPResponse {
    do {
      let head = try HTTPHead.read(from: socket)
      let (method, path, version) = (head.firstLine[0], head.firstLine[1], head.firstLine[2])
      guard version.hasPrefix("HTTP/1."), path.hasPrefix("/") else {
        return HTTPResponse(status: 400)
      }
      guard method == "GET" else { return HTTPResponse(status: 405) }
      lock.withLock { requests[path, default: 0] += 1 }
      return image(path).map { HTTPResponse(status: 200, body: $0) } ?? HTTPResponse(status: 404)
    } catch HTTPHead.Fault.tooLong {
      return HTTPResponse(status: 431)
    } catch HTTPHead.Fault.malformed {
      return HTTPResponse(status: 400)
    }
  }
}
