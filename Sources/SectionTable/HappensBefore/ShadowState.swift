internal import Synchronization

/// The shadow state of a resource: its last write, and the last reads since by a few threads. As in
/// FastTrack (PLDI 2009), but with the last reads of four threads where FastTrack keeps all: an
/// access that was overwritten is not reported.
struct ShadowState {
  static let readLimit = 4
  private static let headWords = 5
  private static let wordCount = headWords + (readLimit + 1) * PastAccess.wordCount

  /// 0: the lock. 1: the resource's key. 2: the read to replace next. 3: the mark of its instance.
  /// 4: the thread of all accesses, if there is only one: its slot plus 1, else `manyThreads`; 0 if
  /// there are none.
  let words: UnsafeMutablePointer<Atomic<UInt>>

  init() { words = zeroedWords(Self.wordCount) }

  init?(at address: UInt) {
    guard let words = UnsafeMutablePointer<Atomic<UInt>>(bitPattern: address) else { return nil }
    self.words = words
  }

  var address: UInt { UInt(bitPattern: words) }

  /// The resource's key, for now: the slot in the table may become another resource's.
  @inline(__always)
  var key: UInt { words[1].load(ordering: .relaxed) }

  private static let manyThreads = UInt.max

  /// The name of a thread in shadow states, by its slot; never 0.
  @inline(__always)
  static func name(ofThread slot: UInt32) -> UInt { UInt(slot) + 1 }

  /// Whether only this thread's accesses are stored. Without the lock, the answer may be out of
  /// date.
  @inline(__always)
  func isOnly(of name: UInt) -> Bool {
    let thread = words[4].load(ordering: .relaxed)
    return thread == 0 || thread == name
  }

  @inline(__always)
  private func noteThread(_ slot: UInt32, isTask: Bool, alone: Bool) {
    // A thread does not order the tasks on it.
    if isTask { return words[4].store(Self.manyThreads, ordering: .relaxed) }
    let thread = Self.name(ofThread: slot)
    let known = words[4].load(ordering: .relaxed)
    if known == thread { return }
    words[4].store(alone || known == 0 ? thread : Self.manyThreads, ordering: .relaxed)
  }

  @inline(__always)
  var lastWrite: PastAccess { access(Self.readLimit) }

  @inline(__always)
  func lastRead(_ index: Int) -> PastAccess { access(index) }

  private func access(_ index: Int) -> PastAccess {
    PastAccess(words: words + Self.headWords + index * PastAccess.wordCount)
  }

  /// Held while some hundred bytes are copied; a thread that must wait yields.
  @inline(__always)
  func withLock(_ body: () -> Void) {
    // Acquires what the last holder wrote.
    while words[0].exchange(1, ordering: .acquiring) != 0 { Platform.yield() }
    body()
    words[0].store(0, ordering: .releasing)
  }

  /// Clears the state, for another resource; under the lock.
  func become(_ key: UInt) {
    words[1].store(key, ordering: .relaxed)
    forget()
  }

  private func forget() {
    words[4].store(0, ordering: .relaxed)
    for index in 0...Self.readLimit { access(index).clear() }
  }

  /// Identifies the object by a weak reference, so that accesses to an earlier object at the same
  /// address are not compared with those to a later one. The allocator orders these, and no event
  /// shows it.
  private final class Mark {
    weak var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }
  }

  /// Clears the state unless it is this object's; under the lock. The caller keeps the object
  /// alive.
  func keepOnly(of instance: UInt) {
    guard let pointer = UnsafeRawPointer(bitPattern: instance) else { return }
    let object = Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
    let old = UnsafeRawPointer(bitPattern: words[3].load(ordering: .relaxed))
      .map { Unmanaged<Mark>.fromOpaque($0) }
    if let old, old.takeUnretainedValue().object === object { return }
    forget()
    let new = Unmanaged.passRetained(Mark(object))
    words[3].store(UInt(bitPattern: new.toOpaque()), ordering: .relaxed)
    old?.release()
  }

  /// Stores a section that ends; under the lock. A write `clearsReads`: its begin was compared with
  /// them, and reported those that are not ordered before it.
  @inline(__always)
  func note(
    _ ended: Record, at epoch: OrderSource.Epoch, clearsReads: Bool, _ source: OrderSource
  ) {
    noteThread(
      epoch.slot, isTask: ended[.owner] & 1 != 0, alone: ended.writes && clearsReads)
    if ended.writes {
      lastWrite.set(ended, at: epoch, source)
      if clearsReads { for index in 0..<Self.readLimit { lastRead(index).clear() } }
      return
    }
    var chosen = -1
    for index in 0..<Self.readLimit {
      let read = lastRead(index)
      if !read.isThere || read.epoch.slot == epoch.slot {
        chosen = index
        if read.isThere { break }
      }
    }
    if chosen < 0 {
      let next = words[2].load(ordering: .relaxed)
      chosen = Int(next) % Self.readLimit
      words[2].store(next &+ 1, ordering: .relaxed)
    }
    lastRead(chosen).set(ended, at: epoch, source)
  }
}
