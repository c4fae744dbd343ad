internal import Synchronization

/// What a resource remembers: its last write, and its last reads since, by a few threads. As
/// FastTrack (PLDI 2009) has it, but with the last reads of four threads where that keeps them all:
/// what is forgotten is not told.
struct ShadowState {
  static let readLimit = 4
  private static let headWords = 5
  private static let wordCount = headWords + (readLimit + 1) * PastAccess.wordCount

  /// 0: the lock. 1: the resource's key. 2: which read is replaced next. 3: the mark of its
  /// instance. 4: whose the accesses are, if all are one thread's: its slot and 1, else
  /// `manyThreads`; 0 where there are none.
  let words: UnsafeMutablePointer<Atomic<UInt>>

  init() { words = zeroedWords(Self.wordCount) }

  init?(at address: UInt) {
    guard let words = UnsafeMutablePointer<Atomic<UInt>>(bitPattern: address) else { return nil }
    self.words = words
  }

  var address: UInt { UInt(bitPattern: words) }

  /// The resource that the shadow is of, now: the place in the table may become another's.
  @inline(__always)
  var key: UInt { words[1].load(ordering: .relaxed) }

  private static let manyThreads = UInt.max

  /// A thread as shadow states name it, by its slot; never 0.
  @inline(__always)
  static func name(ofThread slot: UInt32) -> UInt { UInt(slot) + 1 }

  /// Whether nobody but the thread of this name is remembered. Without the lock it tells what was
  /// so just before.
  @inline(__always)
  func isOnly(of name: UInt) -> Bool {
    let thread = words[4].load(ordering: .relaxed)
    return thread == 0 || thread == name
  }

  @inline(__always)
  private func noteThread(_ slot: UInt32, isTask: Bool, alone: Bool) {
    // A thread is no order for the tasks on it.
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

  /// Held for a copy of some hundred bytes: who comes meanwhile yields.
  @inline(__always)
  func withLock(_ body: () -> Void) {
    // Acquires what the last one wrote.
    while words[0].exchange(1, ordering: .acquiring) != 0 { Platform.yield() }
    body()
    words[0].store(0, ordering: .releasing)
  }

  /// Forgets all, and is another resource's from now on; under the lock.
  func become(_ key: UInt) {
    words[1].store(key, ordering: .relaxed)
    forget()
  }

  private func forget() {
    words[4].store(0, ordering: .relaxed)
    for index in 0...Self.readLimit { access(index).clear() }
  }

  /// The object whose resource it is, held weakly: where another is at its address, what the first
  /// one's threads did is not remembered against it. The memory's way from one to the other orders
  /// them, and is not seen.
  private final class Mark {
    weak var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }
  }

  /// Forgets all unless it is of this object; under the lock. The object is alive: its caller has
  /// it.
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

  /// Remembers a section that ends; under the lock. A write `clearsReads` that it was looked up
  /// beside when it began: who is in no order with one of them was told of it.
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
