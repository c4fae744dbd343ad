import InterlockStress
import Dispatch
import Foundation

// What applications do with TMCache's caches besides getting and setting. An installed block stays,
// so an action precedes the call that it affects.

/// An age limit longer than any trial.
private let longAge = 600.0

/// The memory cache's own calls.
struct TMMemoryActions {
  typealias Action = TMCacheSubject<TMObjectCache>.Action

  static let names = Array(TMMemoryActions().all.keys).sorted()

  let all: [String: Action] = [
    // A block that reads by the synchronous form; it runs inside the barrier as shipped.
    "read-in-will-add": { cache, _, done in
      cache.memory.willAddObject = { memory, key, _ in _ = memory.object(forKey: key) }
      done(.done)
    },
    // A block that reads the total cost: `dispatch_sync` inside the barrier as shipped.
    "ask-in-will-add": { cache, _, done in
      cache.memory.willAddObject = { memory, _, _ in _ = memory.totalCost }
      done(.done)
    },
    // Reads, and stores in the callback.
    "set-in-completion": { cache, call, done in
      cache.memory.object(forKey: call.key) { _ in
        cache.setValue(call.value, forKey: call.key, cost: call.cost)
        done(.done)
      }
    },
    // Reads every object while enumerating.
    "enumerate-reading": { cache, _, done in
      let memory = cache.memory
      memory.enumerateObjects { key, _ in _ = memory.object(forKey: key) }
      done(.done)
    },
    // Stores an object whose `deinit` removes another from the cache.
    "set-removing-at-end": { cache, call, done in
      let end: @Sendable () -> Void = { [weak memory = cache.memory] in
        memory?.removeObject(forKey: "other")
      }
      cache.memory.setObject(TMObject(call.value, end: end), forKey: call.key, cost: call.cost)
      done(.done)
    },
    "set-age-limit": { cache, _, done in
      cache.memory.ageLimit = longAge
      done(.done)
    },
  ]
}

/// The disk cache's own calls.
struct TMDiskActions {
  typealias Action = TMCacheSubject<TMDiskCache>.Action

  static let names = Array(
    TMDiskActions(another: nil).all.keys
  ).sorted()

  let all: [String: Action]

  /// - Parameter another: A second cache of the same name.
  init(another: TMDiskCache?) {
    all = [
      // A block that reads by the synchronous form; it runs on the shared queue as shipped.
      "read-in-will-add": { cache, _, done in
        cache.willAddObject = { cache, key, _, _ in _ = cache.object(forKey: key) }
        done(.done)
      },
      // A block that reads the byte limit: `dispatch_sync` on the shared queue as shipped.
      "ask-in-will-add": { cache, _, done in
        cache.willAddObject = { cache, _, _, _ in _ = cache.byteLimit }
        done(.done)
      },
      // Stores, and reads the key in the completion.
      "get-in-completion": { cache, call, done in
        cache.setObject(call.value, forKey: call.key) { _ in
          done(.value(cache.object(forKey: call.key)))
        }
      },
      // Reads every object while enumerating.
      "enumerate-reading": { cache, _, done in
        cache.enumerateObjects { key, _ in _ = cache.object(forKey: key) }
        done(.done)
      },
      "set-in-another": { _, call, done in
        another?.setObject(call.value, forKey: call.key)
        done(.done)
      },
      "remove-in-another": { _, call, done in
        another?.removeObject(forKey: call.key)
        done(.done)
      },
      // What a system short of space does to the folder for temporary files.
      "lose-trash": { cache, _, done in
        try? FileManager.default.removeItem(at: cache.trashURL)
        done(.done)
      },
      // What a crash or a bad sector does to a file.
      "damage": { cache, call, done in
        if let url = cache.fileURL(forKey: call.key) { try? Data([1, 2, 3]).write(to: url) }
        done(.done)
      },
      "set-age-limit": { cache, _, done in
        cache.ageLimit = longAge
        done(.done)
      },
    ]
  }
}

/// The pair's own calls.
struct TMPairActions {
  typealias Action = TMCacheSubject<TMCache>.Action

  static let names = Array(TMPairActions(reader: TMBox(nil), makeAnother: nil).all.keys).sorted()

  let all: [String: Action]

  /// - Parameters:
  ///   - reader: What objects do while they are decoded.
  ///   - makeAnother: Opens a second pair over the same directory.
  init(reader: TMBox<(@Sendable () -> Void)?>, makeAnother: (@Sendable () -> TMCache)?) {
    all = [
      "forget-memory": { cache, _, done in
        cache.memoryCache.removeAllObjects()
        done(.done)
      },
      // From now on an object that is decoded reads another from the cache.
      "decode-reading": { cache, _, done in
        reader.value = { [weak cache] in
          // Once: the object that it refers to refers to no other.
          reader.value = nil
          _ = cache?.object(forKey: "other")
        }
        done(.done)
      },
      "get-without-key": { cache, _, done in
        cache.object(forKey: nil) { done(.value($0)) }
      },
      // As in the example of pull request 78: waits for the callback of a call without a key.
      "wait-without-key": { cache, _, done in
        let called = DispatchSemaphore(value: 0)
        cache.object(forKey: nil) { _ in called.signal() }
        called.wait()
        done(.done)
      },
      // Through a second pair, opened for this call.
      "set-in-another": { _, call, done in
        makeAnother?().setObject(call.value, forKey: call.key, cost: call.cost)
        done(.done)
      },
    ]
  }
}
