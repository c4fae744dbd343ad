import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension SwiftPrograms {
  /// Downloads over loopback: Foundation's networking runs handlers of Dispatch sources.
  static let downloads: [String: @Sendable () -> Void] = [
    "download.correct": {
      let (box, done) = (Box(), DispatchSemaphore(value: 0))
      download { size in
        box.number += size
        done.signal()
      }
      done.wait()
      box.number += 1
    },
    "download.racy": {
      let (box, flag) = (Box(), Flag())
      download { size in
        box.number += size
        flag.isSet.store(true, ordering: .relaxed)
      }
      while !flag.isSet.load(ordering: .relaxed) { sched_yield() }
      box.number += 1
    },
    "downloads_in_tasks.correct": {
      let done = DispatchSemaphore(value: 0)
      let box = Box()
      Task.detached {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          download { size in
            box.number += size
            continuation.resume()
          }
        }
        box.number += 1
        done.signal()
      }
      done.wait()
      box.number += 1
    },
  ]

  private static func download(_ handle: @escaping @Sendable (Int) -> Void) {
    let port = answerOnce()
    guard let url = URL(string: "http://127.0.0.1:\(port)/") else { return }
    URLSession.shared.dataTask(with: url) { data, _, _ in handle(data?.count ?? 0) }.resume()
  }

  /// Answers one request on loopback. Returns the port.
  private static func answerOnce() -> UInt16 {
    let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listening, $0, size)
        listen(listening, 1)
        getsockname(listening, $0, &size)
      }
    }
    Thread.detachNewThread {
      let accepted = accept(listening, nil, nil)
      var request = [UInt8](repeating: 0, count: 4096)
      recv(accepted, &request, request.count, 0)
      let answer = Array(
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello".utf8)
      send(accepted, answer, answer.count, 0)
      close(accepted)
      close(listening)
    }
    return UInt16(bigEndian: address.sin_port)
  }
}
