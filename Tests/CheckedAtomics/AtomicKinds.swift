import Synchronization

/// Atomics of each kind, each with an update that loses another update. `CheckedTests` compiles
/// this file too, without optimisation.
package enum AtomicKinds {
  package enum Color: UInt8, AtomicRepresentable, Sendable {
    case red, green, blue
  }

  package final class Item: Sendable {
    package init() {}
  }

  /// An update in two steps, and a check that both updates of two threads have an effect.
  package struct Update: Sendable {
    package var name: String
    package var make: @Sendable () -> (update: @Sendable () -> Void, isRight: @Sendable () -> Bool)
  }

  /// An atomic that two threads share.
  final class Box<Value: AtomicRepresentable>: @unchecked Sendable {
    // Unchecked: threads share the values in these programs, also those of unmanaged references.
    let value: Atomic<Value>
    init(_ value: consuming Value) { self.value = Atomic(value) }
  }

  package static let updates: [Update] = [
    Update(name: "Bool") {
      let box = Box(false), both = Box(false)
      return (
        {
          if box.value.load(ordering: .relaxed) { both.value.store(true, ordering: .relaxed) }
          box.value.store(true, ordering: .relaxed)
        }, { both.value.load(ordering: .relaxed) }
      )
    },
    Update(name: "Int8") {
      let box = Box<Int8>(0)
      return (
        { box.value.store(box.value.load(ordering: .relaxed) + 1, ordering: .releasing) },
        { box.value.load(ordering: .acquiring) == 2 }
      )
    },
    Update(name: "UInt16") {
      let box = Box<UInt16>(0)
      return (
        { box.value.store(box.value.load(ordering: .relaxed) + 1, ordering: .releasing) },
        { box.value.load(ordering: .acquiring) == 2 }
      )
    },
    Update(name: "Float") {
      let box = Box<Float>(0)
      return (
        { box.value.store(box.value.load(ordering: .relaxed) + 1, ordering: .releasing) },
        { box.value.load(ordering: .acquiring) == 2 }
      )
    },
    Update(name: "Double") {
      let box = Box<Double>(0)
      return (
        { box.value.store(box.value.load(ordering: .relaxed) + 1, ordering: .releasing) },
        { box.value.load(ordering: .acquiring) == 2 }
      )
    },
    Update(name: "Color") {
      let box = Box(Color.red)
      return (
        {
          let old = box.value.load(ordering: .relaxed)
          box.value.store(old == .red ? .green : .blue, ordering: .releasing)
        }, { box.value.load(ordering: .acquiring) == .blue }
      )
    },
    Update(name: "UnsafeMutableRawPointer?") {
      let box = Box<UnsafeMutableRawPointer?>(nil)
      return (
        {
          let old = UInt(bitPattern: box.value.load(ordering: .relaxed))
          box.value.store(UnsafeMutableRawPointer(bitPattern: old + 1), ordering: .releasing)
        }, { UInt(bitPattern: box.value.load(ordering: .acquiring)) == 2 }
      )
    },
    Update(name: "Unmanaged<Item>?") {
      let box = Box<Unmanaged<Item>?>(nil), both = Box(false)
      return (
        {
          if box.value.load(ordering: .relaxed) != nil {
            both.value.store(true, ordering: .relaxed)
          }
          let item = Unmanaged.passRetained(Item())
          let old = box.value.exchange(item, ordering: .acquiringAndReleasing)
          old?.release()
        },
        {
          box.value.exchange(nil, ordering: .acquiringAndReleasing)?.release()
          return both.value.load(ordering: .relaxed)
        }
      )
    },
    Update(name: "Duration") {
      let box = Box(Duration.zero)
      return (
        {
          let old = box.value.load(ordering: .relaxed)
          box.value.store(old + .seconds(1), ordering: .releasing)
        }, { box.value.load(ordering: .acquiring) == .seconds(2) }
      )
    },
    Update(name: "WordPair") {
      let box = Box(WordPair(first: 0, second: 0))
      return (
        {
          let old = box.value.load(ordering: .relaxed)
          let new = WordPair(first: old.first + 1, second: old.second + 2)
          box.value.store(new, ordering: .sequentiallyConsistent)
        },
        {
          let pair = box.value.load(ordering: .sequentiallyConsistent)
          return pair.first == 2 && pair.second == 4
        }
      )
    },
    Update(name: "once by weakCompareExchange") {
      let box = Box(false), value = Box(0)
      return (
        {
          let (isFirst, _) = box.value.weakCompareExchange(
            expected: false, desired: true, ordering: .acquiringAndReleasing)
          if isFirst { value.value.store(7, ordering: .relaxed) }
        }, { value.value.load(ordering: .relaxed) == 7 }
      )
    },
    Update(name: "once by weakCompareExchange of a number") {
      let box = Box(3), value = Box(0)
      return (
        {
          let old = box.value.load(ordering: .relaxed)
          if box.value.weakCompareExchange(
            expected: old, desired: 4, ordering: .acquiringAndReleasing
          ).exchanged {
            value.value.store(7, ordering: .relaxed)
          }
        }, { value.value.load(ordering: .relaxed) == 7 }
      )
    },
    Update(name: "once by weakCompareExchange of a WordPair") {
      let box = Box(WordPair(first: 1, second: 2)), value = Box(0)
      return (
        {
          let old = box.value.load(ordering: .relaxed)
          if box.value.weakCompareExchange(
            expected: old, desired: WordPair(first: 4, second: 5), ordering: .acquiringAndReleasing
          ).exchanged {
            value.value.store(7, ordering: .relaxed)
          }
        }, { value.value.load(ordering: .relaxed) == 7 }
      )
    },
  ]
}
