import Foundation
import Synchronization
import Testing

import Caches
@testable import KnownBugs

@Suite("The image server on loopback, and the source that asks it", .timeLimit(.minutes(10)))
struct LoopbackImageServerTests {
  private func server() throws -> LoopbackImageServer {
    try LoopbackImageServer { path in
      switch path {
      case "/small": ImageRequestTests.image.netpbm
      case "/empty": []
      case "/large": [UInt8](repeating: 9, count: 3_000_000)
      default: nil
      }
    }
  }

  private func load(_ url: String) async -> Result<[UInt8], ImageSourceError> {
    let source = HTTPImageSource()
    return await withCheckedContinuation { loaded in
      source.makeTask(for: url) { loaded.resume(returning: $0) }.resume()
    }
  }

  @Test("The image server serves a whole image")
  func loading() async throws {
    let server = try server()
    #expect(await load(server.url("/small")) == .success(ImageRequestTests.image.netpbm))
    #expect(await load(server.url("/empty")) == .success([]))
    #expect(
      await load(server.url("/large")) == .success([UInt8](repeating: 9, count: 3_000_000)))
    #expect(await load(server.url("/none")) == .failure(.status(404)))
    #expect(server.requestsByPath == ["/small": 1, "/empty": 1, "/large": 1, "/none": 1])
    server.stop()
  }

  @Test("The image server refuses connections once stopped; stopping twice does no harm")
  func stopping() async throws {
    let server = try server()
    server.stop()
    server.stop()
    guard case .failure(.connection) = await load(server.url("/small")) else {
      Issue.record("connected to a server that was stopped")
      return
    }
  }

  @Test("The image server closes an idle connection when stopped")
  func stoppingSilence() async throws {
    let server = try server()
    let socket = try LoopbackSocket.unconnected()
    try socket.connect(port: server.port)
    try socket.send(Array("GET /small".utf8))
    // Wait until the server has the connection: it has answered the next one.
    #expect(await load(server.url("/small")) == .success(ImageRequestTests.image.netpbm))
    let duration = ContinuousClock().measure { server.stop() }
    // Without the stop the server would close it after ten seconds.
    #expect(duration < .seconds(8))
    #expect((try? socket.receive(limit: 10)) ?? [] == [])
    socket.close()
  }

  @Test(
    "The image server answers a malformed request by a status",
    arguments: [
      ("POST /small HTTP/1.1\r\n\r\n", "405"), ("GET small HTTP/1.1\r\n\r\n", "400"),
      ("GET /small\r\n\r\n", "400"), ("GET /small SPDY/3\r\n\r\n", "400"),
      ("GET /small HTTP/1.1\r\nno colon\r\n\r\n", "400"), ("\r\n\r\n", "400"),
      ("GET /small HTTP/1.0\r\nA: b\r\n\r\n", "200"),
    ])
  func badRequests(request: String, status: String) throws {
    let server = try server()
    defer { server.stop() }
    let socket = try LoopbackSocket.unconnected()
    defer { socket.close() }
    try socket.connect(port: server.port)
    try socket.send(Array(request.utf8))
    let answer = String(decoding: try socket.receive(limit: 64), as: UTF8.self)
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
  }

  @Test("The image server refuses a head of more than 8 KiB")
  func longHead() throws {
    let server = try server()
    defer { server.stop() }
    let socket = try LoopbackSocket.unconnected()
    defer { socket.close() }
    try socket.connect(port: server.port)
    try socket.send(Array("GET /\(String(repeating: "x", count: 8192))".utf8))
    #expect(
      String(decoding: try socket.receive(limit: 64), as: UTF8.self).hasPrefix("HTTP/1.1 431 "))
  }

  @Test(
    "The HTTP source takes only URLs of loopback",
    arguments: ["", "http://example.com/", "http://127.0.0.1:1"])
  func urls(url: String) async {
    #expect(await load(url) == .failure(.unsupportedURL))
    #expect(await load("http://127.0.0.1:99999/a") == .failure(.unsupportedURL))
    #expect(await load("http://127.0.0.1:1/a b") == .failure(.unsupportedURL))
  }

  @Test("The HTTP source stops a cancelled download, and completes it once")
  func cancelling() async throws {
    let (asked, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try LoopbackImageServer { _ in
      asked.signal()
      leave.wait()
      return [1]
    }
    let source = HTTPImageSource()
    let completions = Atomic(0)
    let result = await withCheckedContinuation { loaded in
      let task = source.makeTask(for: server.url("/slow")) {
        completions.add(1, ordering: .relaxed)
        loaded.resume(returning: $0)
      }
      task.resume()
      Thread.detachNewThread {
        asked.wait()
        task.cancel()
        task.cancel()
      }
    }
    #expect(result == .failure(.cancelled))
    leave.signal()
    server.stop()
    let count = completions.load(ordering: .relaxed)
    #expect(count == 1)
  }

  @Test("The HTTP source completes a task that was cancelled before its start")
  func cancelledEarly() async throws {
    let server = try server()
    let source = HTTPImageSource()
    let result = await withCheckedContinuation { loaded in
      let task = source.makeTask(for: server.url("/small")) { loaded.resume(returning: $0) }
      task.cancel()
      task.resume()
    }
    #expect(result == .failure(.cancelled))
    #expect(server.requestsByPath == [:])
    server.stop()
  }

  @Test("The image server serves the cache: many callers, one download of each URL")
  func cache() async throws {
    let server = try server()
    let cache = ImageCache(
      store: ImageStore(disk: nil, repaired: true), source: HTTPImageSource(), repaired: true)
    let (answers, all) = (Answers(), DispatchGroup())
    for _ in 0..<40 { all.enter() }
    await onThreads(4) { thread in
      for turn in 0..<10 {
        cache.get(server.url("/small")) { answer in
          answers.note("\(thread) \(turn)")(answer)
          all.leave()
        }
      }
    }
    await withCheckedContinuation { done in all.notify(queue: .global()) { done.resume() } }
    for thread in 0..<4 {
      for turn in 0..<10 {
        #expect(answers["\(thread) \(turn)"] == [.success(ImageRequestTests.image)])
      }
    }
    #expect(server.requestsByPath == ["/small": 1])
    server.stop()
  }
}
