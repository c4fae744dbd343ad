import Foundation

/// The calls that a test can make on a type, as far as its source shows: an initialiser, methods
/// and properties whose values have simple types.
struct TypeSketch {
  /// The expression that creates an instance: `Store(limit: 1)`.
  private(set) var made = ""
  /// Statements that call an instance named `subject`, a few of each kind.
  private(set) var calls: [String] = []

  /// The most calls.
  private static let mostCalls = 6
  private static let harmless: Set<Substring> = [
    "discardableResult", "inlinable", "usableFromInline", "inline", "Sendable", "objc", "frozen",
  ]
  /// Protocols that `Int` conforms to, and that require no initialiser.
  private static let simple: Set<Substring> = [
    "Hashable", "Equatable", "Comparable", "Sendable", "CustomStringConvertible",
  ]

  private let name: String
  private var generics: Set<String> = []
  private var isActor = false

  /// Finds the type in the sources of its target; `nil` if it cannot be created or called.
  init?(_ name: String, in sources: [String]) {
    self.name = name
    let all = sources.flatMap { SwiftCode($0).declarations }
    let named = all.filter { $0.name == name }
    guard let own = named.first(where: { $0.kind != "extension" && $0.kind != "protocol" }),
      !own.clauses.contains(/\bwhere\b/), !own.modifiers.contains(/\b(private|fileprivate)\b/),
      own.modifiers.matches(of: /@(\w+)/).allSatisfy({ Self.harmless.contains($0.1) }),
      readGenerics(own.clauses)
    else { return nil }
    isActor = own.kind == "actor"
    // Leave out conditional extensions: their conditions may not hold.
    let extensions = named.filter { $0.kind == "extension" && !$0.clauses.contains(/\bwhere\b/) }
    let members = ([own] + extensions).flatMap { Member.all(in: $0.members) }
    let protocols = Set(all.filter { $0.kind == "protocol" }.map(\.name)).union(Self.simple)
    let isPlain = Self.inherited(own.clauses).allSatisfy(protocols.contains)
    guard let made = making(members, hasImplicit: isPlain) else { return nil }
    self.made = made
    for member in members where calls.count < Self.mostCalls {
      if let call = call(of: member), !calls.contains(call) { calls.append(call) }
    }
    if calls.isEmpty { return nil }
  }

  // MARK: The header

  /// The names of the types that a type inherits from or conforms to.
  private static func inherited(_ clauses: Substring) -> [Substring] {
    clauses.replacing(/^\s*<[^>]*>/, with: "").drop { ": \n".contains($0) }
      .split(separator: ",").compactMap { $0.split(whereSeparator: \.isWhitespace).last }
  }

  /// Reads generic parameters that `Int` can replace; returns false if one needs another type.
  private mutating func readGenerics(_ clauses: Substring) -> Bool {
    guard let list = clauses.firstMatch(of: /^\s*<([^>]*)>/) else { return true }
    for parameter in list.1.split(separator: ",") {
      let words = parameter.split { ":& \n".contains($0) }
      guard let first = words.first, words.dropFirst().allSatisfy(Self.simple.contains) else {
        return false
      }
      generics.insert(String(first))
    }
    return true
  }

  // MARK: The members

  /// The expression with which a test creates an instance; `nil` if there is none.
  private func making(_ members: [Member], hasImplicit: Bool) -> String? {
    let arguments =
      generics.isEmpty ? "" : "<\(generics.map { _ in "Int" }.joined(separator: ", "))>"
    let initialisers = members.filter { $0.kind == "init" }
    let reachable = initialisers.filter { $0.isReachable && !$0.isStatic }
    for initialiser in reachable {
      guard let list = values(of: initialiser, varies: false) else { continue }
      return "\(name)\(arguments)(\(list))"
    }
    let shared = members.first {
      $0.kind == "let" && $0.isStatic && $0.isReachable && $0.rest.contains("= \(name)(")
    }
    if let shared { return "\(name)\(arguments).\(shared.name)" }
    guard initialisers.isEmpty, hasImplicit, members.allSatisfy(\.hasInitialValue) else {
      return nil
    }
    return "\(name)\(arguments)()"
  }

  private func call(of member: Member) -> String? {
    guard member.isReachable, !member.isStatic else { return nil }
    // Leave out calls that wait for another call: they would hang alone.
    guard !member.name.lowercased().contains("wait") else { return nil }
    let waits = isActor && !member.modifiers.contains("nonisolated")
    switch member.kind {
    case "func":
      guard let list = values(of: member, varies: true), !member.effects.contains(/\bwhere\b/)
      else { return nil }
      var call = "subject.\(member.name)(\(list))"
      if waits || member.effects.contains(/\basync\b/) { call = "await " + call }
      if member.effects.contains(/\bthrows\b/) { call = "try " + call }
      let result = member.effects.firstMatch(of: /->\s*(?s:(.*))$/)?.1 ?? "Void"
      return ["Void", "()", "Never"].contains(result) ? call : "_ = " + call
    case "var":
      if member.rest.contains("{!}") { return nil }
      let isStored = !member.rest.contains("{")
      if isStored, !isActor, !member.modifiers.contains("(set)"),
        let type = member.rest.firstMatch(of: /^\s*:\s*([^=\n]+)/)?.1,
        let value = SampleValue.expression(of: String(type), generics: generics, varies: true)
      {
        return "subject.\(member.name) = \(value)"
      }
      return "_ = \(waits ? "await " : "")subject.\(member.name)"
    default: return nil
    }
  }

  /// The arguments of a call; `nil` if no value of a parameter's type is known.
  private func values(of member: Member, varies: Bool) -> String? {
    guard let parameters = member.parameters else { return nil }
    var list: [String] = []
    for parameter in parameters where !parameter.contains("=") && !parameter.contains("...") {
      guard let match = parameter.wholeMatch(of: /\s*(\w+)(?:\s+\w+)?\s*:\s*(?s:(.+?))\s*/),
        let value = SampleValue.expression(
          of: String(match.2), generics: generics, varies: varies)
      else { return nil }
      list.append((match.1 == "_" ? "" : match.1 + ": ") + value)
    }
    return list.joined(separator: ", ")
  }
}

extension TypeSketch {
  /// A member of a type, as its header shows.
  fileprivate struct Member {
    /// `func`, `init`, `var` or `let`.
    var kind: Substring
    var name: String
    var modifiers: Substring
    /// The parameters of a function that is not generic and cannot return `nil`; otherwise `nil`.
    var parameters: [String]?
    /// The text between the parameters and the body.
    var effects: Substring = ""
    /// The text after the name, up to the end of the line.
    var rest: Substring

    /// True if a test that imports the module for testing can call the member from any thread.
    var isReachable: Bool {
      !modifiers.contains(/\b(private|fileprivate|mutating|lazy|weak|unowned)\b(?!\()/)
        && modifiers.matches(of: /@(\w+)/).allSatisfy { TypeSketch.harmless.contains($0.1) }
    }
    var isStatic: Bool { modifiers.contains(/\b(static|class)\b/) }
    /// True if an initialiser need not set the member.
    var hasInitialValue: Bool {
      kind == "func" || kind == "init" || isStatic || rest.contains("=") || rest.contains("{")
        || (kind == "var" && rest.contains(/\?\s*$/))
    }

    /// The members, in order.
    static func all(in text: String) -> [Member] {
      let pattern =
        #/
        ((?:(?:@\w+(?:\([^)]*\))?|[a-z]+(?:\([a-z]+\))?)\s+)*)
        \b(func|init|var|let)\b\s*(`?\w*`?)([^\n]*)
        /#
      return text.matches(of: pattern).compactMap { match in
        let (_, modifiers, kind, name, rest) = match.output
        var member = Member(
          kind: kind, name: String(name), modifiers: modifiers, rest: rest)
        guard kind == "func" || kind == "init" else { return name.isEmpty ? nil : member }
        let tail = Array(text[rest.startIndex...])
        guard tail.first == "(" else { return member }
        let end = SwiftCode.end(of: tail, from: 0)
        member.parameters = parts(Array(tail[1..<max(1, end - 1)]))
        let after = String(tail[end...].prefix { $0 != "{" })
        member.effects = Substring(after.trimmingCharacters(in: .whitespaces))
        return member
      }
    }

    /// Splits a list at its commas, except for commas inside brackets.
    private static func parts(_ text: [Character]) -> [String] {
      var parts = [""]
      var depth = 0
      for (index, character) in text.enumerated() {
        if "([{<".contains(character) { depth += 1 }
        let isArrow = character == ">" && index > 0 && text[index - 1] == "-"
        if ")]}>".contains(character), !isArrow { depth -= 1 }
        if character == ",", depth == 0 {
          parts.append("")
        } else {
          parts[parts.count - 1].append(character)
        }
      }
      return parts.filter { !$0.allSatisfy(\.isWhitespace) }
    }
  }
}
