import Foundation
import Interlock
import LockStrategies

extension Date {
  /// For ever, which is until 2038: a date that every file system can hold.
  static let hybridNever = Date(timeIntervalSince1970: 60 * 60 * 24 * 365 * 68)

  var hasPassed: Bool { timeIntervalSinceNow < 0 }
}

/// Memory before disk, with observers, and no lock: HybridStorage.swift and DiskStorage.swift of
/// hyperoslo's Cache 7.4.0.
///
/// Every caller runs on a serial queue and assumes that no other queue calls the storage. Each call
/// of the file system is atomic by itself; faults come from what happens between two of them, above
/// all between writing a file and setting its date, which says when it expires: until then the file
/// counts as expired.
///
/// `@unchecked Sendable`: only that assumption guards the state; the sections detect where it is
/// wrong.
final class HybridStorage: @unchecked Sendable {
  let memory = HybridMemoryStorage()
  let folder: CacheFolder
  let observers: HybridObservers
  /// Observers to call after the lock is released; `nil` if observers are called at once.
  private var outbox: [@Sendable () -> Void]?

  /// `repaired` says whether observers are guarded, and called outside the lock.
  init(_ folder: CacheFolder, repaired: Bool) {
    self.folder = folder
    folder.create()
    observers = HybridObservers(repaired: repaired)
    outbox = repaired ? [] : nil
  }

  /// Runs a call under a lock, and calls the observers after releasing it.
  func perform<R>(under lock: PthreadMutexLock, _ body: (HybridStorage) -> R) -> R {
    let (result, notices) = lock.withLock {
      let result = body(self)
      let notices = outbox ?? []
      if !notices.isEmpty { outbox = [] }
      return (result, notices)
    }
    for notice in notices { notice() }
    return result
  }

  func value(forKey key: String) -> [UInt8]? {
    if let value = memory.value(forKey: key) { return value }
    let file = folder.path(forKey: key)
    guard let bytes = folder.read(file), let value = Archive.value(in: bytes),
      let expiry = folder.attributes(of: file)?.modified
    else { return nil }
    memory.setValue(value, forKey: key, expiry: expiry)
    return value
  }

  func setValue(_ value: [UInt8], forKey key: String) {
    let file = folder.path(forKey: key)
    memory.setValue(value, forKey: key, expiry: .hybridNever)
    let data = Data(Archive.bytes(of: value))
    guard FileManager.default.createFile(atPath: file, contents: data) else { return }
    SYNC_POINT("hybriddiskstorage.setObject.beforeDate")
    guard folder.setDate(.hybridNever, of: file) else { return }
    tellObservers()
  }

  func removeValue(forKey key: String) {
    memory.removeValue(forKey: key)
    if folder.remove(folder.path(forKey: key)) { tellObservers() }
  }

  func removeAll() {
    memory.removeAll()
    _ = folder.remove(folder.path)
    folder.create()
    tellObservers()
  }

  func removeExpiredObjects() {
    memory.removeExpiredObjects()
    let files = folder.keys().map(folder.path(forKey:))
    let expired = files.filter { folder.attributes(of: $0)?.modified.hasPassed == true }
    SYNC_POINT("hybriddiskstorage.removeExpiredObjects.beforeRemoval")
    // If a file is gone meanwhile, the remaining files stay.
    for file in expired where !folder.remove(file) { return }
    tellObservers()
  }

  private func tellObservers() {
    let notices = observers.notices()
    guard outbox == nil else {
      outbox?.append(contentsOf: notices)
      return
    }
    for notice in notices { notice() }
  }
}

/// Objects in memory, and a set of their keys: MemoryStorage.swift of hyperoslo's Cache 7.4.0.
///
/// The store is thread-safe, as the original's `NSCache`; the set beside it is not, and the caller
/// has to guard it. A read also returns an expired object: the caller has to check.
///
/// `@unchecked Sendable`: only the caller's queue guards the set, if anything does.
final class HybridMemoryStorage: @unchecked Sendable {
  let store = Box<[String: (value: [UInt8], expiry: Date)]>([:])
  private let keysSection = Section("hybridstorage.memory.keys")
  private var keysNow: Set<String> = []

  // Every caller runs on a serial queue and relies on it as a lock, so each section claims one.

  var keys: Set<String> { keysSection.read(synched: true) { keysNow } }

  func value(forKey key: String) -> [UInt8]? { store.value[key]?.value }

  func setValue(_ value: [UInt8], forKey key: String, expiry: Date) {
    store.change { $0[key] = (value, expiry) }
    keysSection.write(synched: true) {
      SYNC_POINT("hybridmemorystorage.setObject.insertingKey")
      keysNow.insert(key)
    }
  }

  func removeValue(forKey key: String) {
    store.change { $0[key] = nil }
    keysSection.write(synched: true) { _ = keysNow.remove(key) }
  }

  func removeAll() {
    store.value = [:]
    keysSection.write(synched: true) { keysNow.removeAll() }
  }

  func removeExpiredObjects() {
    for key in keys where store.value[key]?.expiry.hasPassed == true { removeValue(forKey: key) }
  }
}
