/// Memory of two owners. Unchecked, like the faults that the programs show: each program decides
/// what guards it.
final class Counter: @unchecked Sendable {
  var value = 0

  func add(_ number: Int) { value += number }
}

/// As `Counter`, with one value of each kind that has its own storage.
final class Shelf: @unchecked Sendable {
  var array = [1, 2, 3]
  var names = ["a"]
  var table = ["a": 1]
  var set: Set<Int> = [1]
  var text = "text that is too long to be stored in place"
  var pair = (first: 1, second: 2)
  var point = Point(x: 1, y: 2)
  var found: Int?
  var state = State.idle
  var bytes: [UInt8] = [0, 0, 0, 0]
}

struct Point: Sendable {
  var x: Int
  var y: Int
}

enum State: Sendable {
  case idle
  case loading(Int)
  case loaded(String)
}

/// A value that Swift does not let threads share, because nothing guards it.
struct Unguarded<Value>: @unchecked Sendable {
  // Unchecked: each program decides what guards the value.
  let it: Value
}

/// Keeps the compiler from leaving out the read of a value.
@inline(never) @_optimize(none)
func use<Value>(_ value: Value) { withExtendedLifetime(value) {} }
