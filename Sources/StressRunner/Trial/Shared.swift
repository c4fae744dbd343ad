/// Stores a large value in a separate object that copies share: a report keeps, sorts and groups
/// results by the thousand. A write copies the value.
@propertyWrapper
package struct Shared<Value: Sendable & Hashable & Codable>: Sendable {
  private final class Storage: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  /// Stores a value.
  package init(wrappedValue: Value) { storage = Storage(wrappedValue) }

  /// The value.
  package var wrappedValue: Value {
    _read { yield storage.value }
    set { storage = Storage(newValue) }
  }
}

extension Shared: Hashable, Codable {
  package static func == (one: Self, other: Self) -> Bool {
    one.storage === other.storage || one.storage.value == other.storage.value
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(storage.value) }

  package init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try Value(from: decoder))
  }

  package func encode(to encoder: any Encoder) throws { try storage.value.encode(to: encoder) }
}
