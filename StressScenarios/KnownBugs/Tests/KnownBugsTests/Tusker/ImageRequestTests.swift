import Caches
import Foundation
import Synchronization
import Testing

@testable import KnownBugs

/// The answers of callers' requests, in order.
final class Answers: Sendable {
  private let answers = Box<[String: [ImageResult]]>([:])
  func note(_ name: String) -> @Sendable (ImageResult) -> Void {
    { answer in self.answers.change { $0[name, default: []].append(answer) } }
  }
  subscript(_ name: String) -> [ImageResult] { answers.value[name] ?? [] }
}

@Suite("A cache of images, as shipped and repaired", .timeLimit(.minutes(10)))
struct ImageRequestTests {
  let source = GatedImageSource()
  let answers = Answers()
  static let image: [UInt8] = [7, 8]

  private func cache(repaired: Bool) -> ImageCache {
    ImageCache(store: ImageStore(disk: nil, repaired: repaired), source: source, repaired: repaired)
  }

  private func deliver() { source.deliver(.success(Self.image), for: "a") }

  @Test("An image cache batches requests for one URL into one download", arguments: [true, false])
  func batching(repaired: Bool) {
    let cache = cache(repaired: repaired)
    #expect(cache.get("a", completion: answers.note("first")) != nil)
    #expect(cache.get("a", completion: answers.note("second")) != nil)
    cache.fetchIfNotCached("a")
    #expect(source.pending("a") == 1)
    #expect(cache.urlsUnderWay == ["a"])
    #expect(answers["first"] == [])
    deliver()
    #expect(answers["first"] == [.success(Self.image)])
    #expect(answers["second"] == [.success(Self.image)])
    #expect(source.downloadsByURL == ["a": 1])
    #expect(cache.urlsUnderWay == [])
    // From now on the store answers, at once and without a request.
    #expect(cache.get("a", completion: answers.note("third")) == nil)
    #expect(answers["third"] == [.success(Self.image)])
    cache.fetchIfNotCached("a")
    #expect(source.pending("a") == 0)
  }

  @Test(
    "An image cache cancels the download when no request is left, and not before",
    arguments: [true, false])
  func cancelling(repaired: Bool) {
    let cache = cache(repaired: repaired)
    let first = cache.get("a", completion: answers.note("first"))
    let second = cache.get("a", completion: answers.note("second"))
    cache.fetchIfNotCached("a")
    first?.cancel()
    first?.cancel()
    second?.cancel()
    cache.cancelWithoutCallback("not asked for")
    deliver()
    #expect(source.downloadsByURL == ["a": 1])
    #expect(answers["first"] == [])
    #expect(answers["second"] == [])
    #expect(cache.store.has("a"))
  }

  @Test("A download that is cancelled after its data arrived, and before its end, does not count")
  func cancelledLate() {
    let started = Box<ImageTask?>(nil)
    let task = ImageTask(source, "a") { _ in started.value?.cancel() }
    started.value = task
    task.resume()
    deliver()
    #expect(source.downloadsByURL == ["a": 0])
    task.cancel()
    #expect(source.downloadsByURL == ["a": 0])
  }

  @Test("An image cache cancels a download that only prefetching needs", arguments: [true, false])
  func cancellingPrefetch(repaired: Bool) {
    let cache = cache(repaired: repaired)
    cache.fetchIfNotCached("a")
    cache.fetchIfNotCached("a")
    cache.cancelWithoutCallback("a")
    let request = cache.get("a", completion: answers.note("late"))
    cache.cancelWithoutCallback("a")
    cache.cancelWithoutCallback("a")
    request?.cancel()
    deliver()
    #expect(source.downloadsByURL == ["a": 0])
    #expect(cache.urlsUnderWay == [])
    #expect(!cache.store.has("a"))
    #expect(answers["late"] == [])
  }

  @Test("An image cache may be called and cancelled from a callback", arguments: [true, false])
  func reentry(repaired: Bool) {
    let cache = cache(repaired: repaired)
    let answers = answers
    let itself = Box<ImageRequest?>(nil)
    let request = cache.get("a") { answer in
      answers.note("outer")(answer)
      itself.value?.cancel()
      cache.get("a", completion: answers.note("inner"))
    }
    itself.value = request
    deliver()
    #expect(answers["outer"] == [.success(Self.image)])
    #expect(answers["inner"] == [.success(Self.image)])
  }

  @Test("An image cache is freed once nothing is under way", arguments: [true, false])
  func lifetime(repaired: Bool) {
    weak var gone: ImageCache?
    var request: ImageRequest?
    do {
      let cache = cache(repaired: repaired)
      gone = cache
      request = cache.get("a", completion: answers.note("first"))
      deliver()
    }
    // The request can still be cancelled, which changes nothing.
    request?.cancel()
    request = nil
    #expect(gone == nil)
    #expect(answers["first"].count == 1)
  }
}

@Suite("A repaired cache of images", .timeLimit(.minutes(10)))
struct RepairedImageCacheTests {
  let source = GatedImageSource()
  let answers = Answers()

  private func cache() -> ImageCache {
    ImageCache(store: ImageStore(disk: nil, repaired: true), source: source, repaired: true)
  }

  @Test(
    "A repaired image cache starts a new download for a request after the last one was cancelled")
  func afterCancel() {
    let cache = cache()
    cache.get("a", completion: answers.note("first"))?.cancel()
    cache.get("a", completion: answers.note("second"))
    // The cancelled download ends first, and removes only itself.
    source.deliver(.success(ImageRequestTests.image), for: "a", atMost: 1)
    #expect(answers["second"] == [])
    #expect(cache.urlsUnderWay == ["a"])
    source.deliver(.success(ImageRequestTests.image), for: "a")
    #expect(answers["first"] == [])
    #expect(answers["second"] == [.success(ImageRequestTests.image)])
    #expect(cache.urlsUnderWay == [])
  }

  @Test("A repaired image cache waits in cancel() for a callback that runs on another thread")
  func cancelWaits() async {
    let cache = cache()
    let (inCallback, leave, cancelled) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let isDone = Atomic(false)
    let wasDone = Atomic(false)
    let request = cache.get("a") { _ in
      inCallback.signal()
      leave.wait()
      isDone.store(true, ordering: .sequentiallyConsistent)
    }
    let source = source
    await onThreads(3) { thread in
      switch thread {
      case 0:
        source.deliver(.success(ImageRequestTests.image), for: "a")
      case 1:
        inCallback.wait()
        cancelled.signal()
        request?.cancel()
        wasDone.store(
          isDone.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent)
      default:
        cancelled.wait()
        leave.signal()
      }
    }
    let hadRun = wasDone.load(ordering: .sequentiallyConsistent)
    #expect(hadRun)
  }

  @Test(
    "A repaired image cache answers every request once, also with concurrent cancels and joins"
  )
  func everybody() async {
    let cache = cache()
    let (source, answers) = (source, answers)
    await onThreads(4) { thread in
      for turn in 0..<500 {
        let url = "\(turn % 50)"
        if thread == 0 {
          source.deliver(.success(ImageRequestTests.image), for: url)
          if turn % 3 == 0 { cache.store.removeValue(forKey: url) }
        } else {
          let name = "\(thread)-\(turn)"
          let request = cache.get(url, completion: answers.note(name))
          if turn % 7 == 0, let request {
            request.cancel()
            let before = answers[name].count
            #expect(before <= 1)
          }
        }
      }
    }
    for url in 0..<50 {
      source.deliver(.success(ImageRequestTests.image), for: "\(url)")
    }
    for thread in 1..<4 {
      for turn in 0..<500 where turn % 7 != 0 {
        #expect(answers["\(thread)-\(turn)"] == [.success(ImageRequestTests.image)])
      }
    }
    #expect(cache.urlsUnderWay == [])
  }
}
