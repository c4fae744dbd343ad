/// The values of options. Each option sets a property; the initial values are the defaults.
package protocol OptionValues: Sendable {
  /// Creates the default values.
  init()
}

/// An option of the command line or of `INTERLOCK_OPTIONS`: its name, its meaning, how its value is
/// read, and how a replay repeats it.
///
/// The product that uses an option declares it. Parsers, help, the tables of the documentation and
/// the replay line know an option from its declaration alone.
package struct Option<Values: OptionValues>: Sendable {
  /// The treatment of an option by a replay, which runs one trial again.
  package enum Replay: Sendable {
    /// The option changes a trial or how the run judges it: a replay repeats the last value given.
    case repeats
    /// Like `repeats`, for an option that may be given several times and adds a value each time.
    case repeatsEach
    /// Like `repeats`, for an option that decides which orders an exploration tries: a replay of
    /// one order, which its token names, leaves it out.
    case repeatsForSearch
    /// The option selects trials, which a replay names itself, or changes only the output.
    case leavesOut
  }

  /// The long name, without hyphens.
  package let name: String
  /// The short name; `nil` for none.
  package let short: Character?
  /// The treatment of the option by a replay.
  package var replay: Replay
  /// The placeholder for the value in help; `nil` for an option without a value.
  package let placeholder: String?
  /// The description of valid values; empty for an option without a value.
  package let expected: String
  /// The meaning of the option, in a sentence or two.
  package let meaning: String
  /// The default, as text; `nil` if the meaning states it.
  package let defaultText: String?
  /// The values if they can be listed, such as `on, off`.
  package let choices: String?
  /// Reads a value and returns true if it is valid. An option without a value ignores the text.
  package let read: @Sendable (_ value: String, inout Values) -> Bool

  /// The meaning with the values and the default, for help.
  package var help: String {
    let details = [choices.map { "values: \($0)" }, defaultText.map { "default: \($0)" }]
      .compactMap(\.self)
    return meaning + (details.isEmpty ? "" : " (\(details.joined(separator: "; ")))")
  }

  /// Declares an option that takes a value.
  ///
  /// - Parameters:
  ///   - name: The long name, without hyphens.
  ///   - short: The short name; `nil` for none.
  ///   - format: The values, and how a value is read.
  ///   - replay: The treatment of the option by a replay.
  ///   - meaning: A sentence or two; `{values}` in it is replaced by the values.
  ///   - defaultText: The default, as text.
  ///   - set: Stores the value.
  package init<Value>(
    _ name: String, short: Character? = nil, _ format: ValueFormat<Value>,
    replay: Replay = .repeats, _ meaning: String, default defaultText: String? = nil,
    set: @escaping @Sendable (Value, inout Values) -> Void
  ) {
    self.name = name
    self.short = short
    self.replay = replay
    placeholder = format.placeholder
    expected = format.expected
    self.meaning = meaning.replacing("{values}", with: format.summary)
    choices = format.isChoice ? format.summary : nil
    self.defaultText = defaultText
    read = { text, values in
      guard let value = format.read(text) else { return false }
      set(value, &values)
      return true
    }
  }

  /// Declares an option that sets a property; the property's initial value is the default.
  package init<Value>(
    _ name: String, short: Character? = nil, _ format: ValueFormat<Value>,
    _ property: any WritableKeyPath<Values, Value> & Sendable, replay: Replay = .repeats,
    _ meaning: String
  ) {
    self.init(
      name, short: short, format, replay: replay, meaning,
      default: format.text(Values()[keyPath: property])
    ) { $1[keyPath: property] = $0 }
  }

  /// Declares an option that sets a property; the property is `nil` if the option is not given.
  package init<Value>(
    _ name: String, short: Character? = nil, _ format: ValueFormat<Value>,
    _ property: any WritableKeyPath<Values, Value?> & Sendable, replay: Replay = .repeats,
    _ meaning: String, default defaultText: String? = nil
  ) {
    self.init(name, short: short, format, replay: replay, meaning, default: defaultText) {
      $1[keyPath: property] = $0
    }
  }

  /// Declares an option without a value.
  package init(
    flag name: String, short: Character? = nil, replay: Replay = .repeats, _ meaning: String,
    default defaultText: String? = nil, set: @escaping @Sendable (inout Values) -> Void
  ) {
    self.name = name
    self.short = short
    self.replay = replay
    placeholder = nil
    expected = ""
    self.meaning = meaning
    choices = nil
    self.defaultText = defaultText
    read = { _, values in
      set(&values)
      return true
    }
  }
}
