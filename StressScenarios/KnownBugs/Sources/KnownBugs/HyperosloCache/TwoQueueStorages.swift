import Dispatch
import Foundation
import Interlock

/// The storage in memory of hyperoslo's Cache 1.0.0 (MemoryStorage.swift): an `NSCache`, written on
/// one serial queue and read on another.
final class TwoQueueMemoryStorage: Sendable {
  private struct Capsule {
    var value: [UInt8]
    var expiry: HybridExpiry
  }

  private let writeQueue = DispatchQueue(label: "no.hyper.Cache.Memory.WriteQueue")
  private let readQueue = DispatchQueue(label: "no.hyper.Cache.Memory.ReadQueue")
  private let store = EvictingStore<Capsule>()
  private let repaired: Bool

  init(repaired: Bool) {
    self.repaired = repaired
  }

  func add(
    _ value: [UInt8], forKey key: String, expiry: HybridExpiry,
    completion: @escaping @Sendable () -> Void
  ) {
    writeQueue.async {
      self.store.setValue(Capsule(value: value, expiry: .date(expiry.date)), forKey: key)
      completion()
    }
  }

  /// Calls back with the value, and then has it removed if it has expired.
  func object(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    readQueue.async {
      let capsule = self.store.value(forKey: key)
      completion(capsule?.value)
      guard let capsule, capsule.expiry.isExpired else { return }
      SYNC_POINT("basichybridcache.object.foundExpired")
      // As shipped, this removes any value that is there when the write queue runs the removal.
      if self.repaired { self.removeIfExpired(key) } else { self.remove(key) {} }
    }
  }

  private func removeIfExpired(_ key: String) {
    writeQueue.async {
      guard self.store.value(forKey: key)?.expiry.isExpired == true else { return }
      self.store.removeValue(forKey: key)
    }
  }

  func remove(_ key: String, completion: @escaping @Sendable () -> Void) {
    writeQueue.async {
      self.store.removeValue(forKey: key)
      completion()
    }
  }

  func clear(completion: @escaping @Sendable () -> Void) {
    writeQueue.async {
      self.store.removeAll()
      completion()
    }
  }

  func settle() {
    readQueue.sync {}
    writeQueue.sync {}
  }

  var keys: Set<String> { store.keys }
}

/// The storage in files of hyperoslo's Cache 1.0.0 (DiskStorage.swift), written on one serial queue
/// and read on another. It reports no errors: a file that could not be written is missing.
final class TwoQueueDiskStorage: Sendable {
  private let path: String
  private let maximumSize: Int
  private let writeQueue = DispatchQueue(label: "no.hyper.Cache.Disk.WriteQueue")
  private let readQueue = DispatchQueue(label: "no.hyper.Cache.Disk.ReadQueue")

  init(path: String, maximumSize: Int) {
    self.path = path
    self.maximumSize = maximumSize
  }

  func add(
    _ value: [UInt8], forKey key: String, expiry: HybridExpiry,
    completion: @escaping @Sendable () -> Void
  ) {
    let bytes = try? HybridTransformer.checked.bytes(value)
    writeQueue.async {
      let files = FileManager.default
      try? files.createDirectory(atPath: self.path, withIntermediateDirectories: true)
      if let file = self.path(forKey: key), let bytes,
        files.createFile(atPath: file, contents: Data(bytes))
      {
        try? files.setAttributes([.modificationDate: expiry.date], ofItemAtPath: file)
      }
      completion()
    }
  }

  func object(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    readQueue.async {
      guard let file = self.path(forKey: key), let data = FileManager.default.contents(atPath: file)
      else { return completion(nil) }
      completion(try? HybridTransformer.checked.object(Array(data)))
    }
  }

  func remove(_ key: String, completion: @escaping @Sendable () -> Void) {
    writeQueue.async {
      if let file = self.path(forKey: key) { try? FileManager.default.removeItem(atPath: file) }
      completion()
    }
  }

  func clear(completion: @escaping @Sendable () -> Void) {
    writeQueue.async {
      try? FileManager.default.removeItem(atPath: self.path)
      completion()
    }
  }

  /// Removes expired files, and then those that expire last, down to half of the limit.
  func clearExpired(completion: @escaping @Sendable () -> Void) {
    writeQueue.async {
      var others: [(path: String, date: Date, size: Int)] = []
      for name in self.fileNames {
        let file = "\(self.path)/\(name)"
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
          let date = attributes[.modificationDate] as? Date
        else { continue }
        if date.timeIntervalSinceNow < 0 {
          try? FileManager.default.removeItem(atPath: file)
        } else {
          others.append((file, date, attributes[.size] as? Int ?? 0))
        }
      }
      var size = others.reduce(0) { $0 + $1.size }
      if self.maximumSize > 0, size > self.maximumSize {
        for file in others.sorted(by: { $0.date > $1.date }) {
          try? FileManager.default.removeItem(atPath: file.path)
          size -= file.size
          if size < self.maximumSize / 2 { break }
        }
      }
      completion()
    }
  }

  func settle() {
    readQueue.sync {}
    writeQueue.sync {}
  }

  var fileNames: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }

  /// The key in base 64, as in the original: a key whose name has a slash in it, or is too long, is
  /// never stored.
  func fileName(forKey key: String) -> String { Data(key.utf8).base64EncodedString() }

  /// `nil` for the empty key. In the original its path is the directory, which a removal deletes.
  private func path(forKey key: String) -> String? {
    key.isEmpty ? nil : "\(path)/\(fileName(forKey: key))"
  }
}
