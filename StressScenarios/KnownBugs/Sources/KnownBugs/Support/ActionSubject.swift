import Caches
import Foundation
import InterlockStress

/// A cache as a subject: the subject makes the calls that every cache has, and calls of its own.
protocol ActionSubject: Subject {
  typealias Call = InterlockStress.Operation
  typealias Completion = @Sendable (Reply) -> Void

  /// The names of the subject's own calls.
  static var actions: [String] { get }

  /// The cache that the calling thread uses; `nil` once it is released, after which the calls that
  /// every cache has complete without a cache.
  var cache: (any Caches.Cache)? { get }

  /// Called before each call that every cache has.
  func willPerform(_ call: Call)

  /// Makes one of the subject's own calls, unless the subject makes that call in `perform`.
  func act(_ name: String, _ call: Call, _ completion: @escaping Completion)
}

extension ActionSubject {
  func willPerform(_ call: Call) {}

  func supports(_ kind: Call.Kind) -> Bool {
    guard case .action(let name) = kind else { return true }
    return Self.actions.contains(name)
  }

  func perform(_ call: Call, completion: @escaping @Sendable (Reply) -> Void) {
    if case .action(let name) = call.kind { return act(name, call, completion) }
    willPerform(call)
    guard let cache else { return completion(.done) }
    cache.perform(call, completion: completion)
  }

  /// Ends the process: the call is in `actions`, and the subject does not make it.
  func refuse(_ name: String) -> Never {
    preconditionFailure("a call that the subject lists, and does not make: \(name)")
  }
}

extension SubjectEntry {
  /// A model that runs only in the scenarios that list it.
  static func model<Model: ActionSubject>(
    _ name: String, _ summary: String, family: String, isMemoryCache: Bool = false,
    missing: String? = nil, _ make: @escaping @Sendable () -> Model
  ) -> SubjectEntry {
    SubjectEntry(
      name: name, summary: summary, family: family, actions: Model.actions, runsUnlisted: false,
      isMemoryCache: isMemoryCache, missing: missing, make: make)
  }

  /// A model as shipped, and its repaired twin.
  static func twins<Model: ActionSubject>(
    _ name: String, family: String, isMemoryCache: Bool = false, missing: String? = nil,
    asShipped: String, repaired: String, _ make: @escaping @Sendable (_ repaired: Bool) -> Model
  ) -> [SubjectEntry] {
    [false, true].map { isRepaired in
      .model(
        isRepaired ? name + "-repaired" : name, isRepaired ? repaired : asShipped, family: family,
        isMemoryCache: isMemoryCache, missing: missing
      ) { make(isRepaired) }
    }
  }
}

extension FinalState {
  /// The state that a cache reports after all calls have ended.
  init(of cache: some Caches.Cache) {
    let entries = cache.entries() ?? [:]
    self.init(
      count: cache.count, totalCost: cache.totalCost, entries: entries.mapValues(\.cost),
      values: entries.mapValues(\.value))
  }
}

/// A new folder in the system's folder for temporary files, removed at the end of the run.
func folderOfTrial() -> String {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  // Ignore an error: the cache that is opened in the folder fails.
  try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder.path
}

/// A value that several threads set and read.
///
/// `@unchecked Sendable`: the value is under `lock`.
final class Box<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var current: Value

  init(_ value: Value) { current = value }

  var value: Value {
    get { lock.withLock { current } }
    set { change { $0 = newValue } }
  }

  /// Changes the value in one step. The old value lives until the lock is free, since its `deinit`
  /// may call a cache.
  func change<R>(_ body: (inout Value) -> R) -> R {
    lock.lock()
    let old = current
    let result = body(&current)
    lock.unlock()
    withExtendedLifetime(old) {}
    return result
  }
}
