internal import Synchronization

/// The shadow state of a resource: its last write, and the last reads since then of a few threads.
/// It follows FastTrack (PLDI 2009), but keeps the last reads of four threads where FastTrack keeps
/// all. An access that was overwritten is not reported.
struct ShadowState {
  static let readLimit = 4
  private static let headWords = 5
  private static let wordCount = headWords + (readLimit + 1) * PastAccess.wordCount

  /// Word 0: the lock. 1: the resource's key. 2: the read to replace next. 3: the mark of the
  /// instance. 4: the thread of all accesses: its slot plus 1 if there is only one, `manyThreads`
  /// if there are several, 0 if there are no accesses.
  let words: UnsafeMutablePointer<Atomic<UInt>>

  init() { words = zeroedWords(Self.wordCount) }

  init?(at address: UInt) {
    guard let words = UnsafeMutablePointer<Atomic<UInt>>(bitPattern: address) else { return nil }
    self.words = words
  }

  var address: UInt { UInt(bitPattern: words) }

  /// The resource's key. It may change: the slot in the table may become another resource's.
  @inline(__always)
  var key: UInt { words[1].load(ordering: .relaxed) }

  private static let manyThreads = UInt.max

  /// The name of a thread in shadow states: its slot plus 1, so never 0.
  @inline(__always)
  static func name(ofThread slot: UInt32) -> UInt { UInt(slot) + 1 }

  /// True if all stored accesses are by this thread. Without the lock, the answer may be outdated.
  @inline(__always)
  func isOnly(of name: UInt) -> Bool {
    let thread = words[4].load(ordering: .relaxed)
    return thread == 0 || thread == name
  }

  @inline(__always)
  private func noteThread(_ slot: UInt32, isTask: Bool, alone: Bool) {
    // A thread does not order the tasks that run on it.
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

  /// Runs `body` under the lock, for the time of copying some hundred bytes. A waiting thread
  /// yields.
  @inline(__always)
  func withLock(_ body: () -> Void) {
    // Acquire what the last holder wrote.
    while words[0].exchange(1, ordering: .acquiring) != 0 { Platform.yield() }
    body()
    words[0].store(0, ordering: .releasing)
  }

  /// Releases the lock of a thread that exists only in the parent of this process.
  func forked() {
    // Relaxed: the child has one thread.
    guard words[0].load(ordering: .relaxed) != 0 else { return }
    become(0)
    words[0].store(0, ordering: .relaxed)
  }

  /// Clears the state for another resource. Call it under the lock.
  func become(_ key: UInt) {
    words[1].store(key, ordering: .relaxed)
    forget()
  }

  private func forget() {
    words[4].store(0, ordering: .relaxed)
    for index in 0...Self.readLimit { access(index).clear() }
  }

  /// Clears the state unless it belongs to this object. Call it under the lock; the caller keeps
  /// the object alive.
  func keepOnly(of instance: UInt) {
    if instance == 0 || ObjectMark.number(in: words + 3, of: instance) != nil { return }
    forget()
    _ = ObjectMark.replace(in: words + 3, by: instance)
  }

  /// Stores a section that ends. Call it under the lock. A write may clear the reads
  /// (`clearsReads`): its begin was compared with them, and has reported the unordered ones.
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
