import Findings
import Testing

@testable import StressRunner

@Suite("JSON is read strictly, with positions")
struct JSONReaderTests {
  private func message(_ text: String) -> String? {
    do throws(JSONError) {
      _ = try JSONReader.read(Array(text.utf8))
      return nil
    } catch {
      return "\(error.line): \(error.message)"
    }
  }

  @Test("Values keep the line that they begin on, and members their order")
  func positions() throws {
    let value = try JSONReader.read(Array("{\n \"b\": 1,\r\n \"a\": [\n true]\n}".utf8))
    guard case .object(let members) = value.content else {
      Issue.record("no object")
      return
    }
    #expect(members.map(\.key) == ["b", "a"])
    #expect(members.map(\.line) == [2, 3])
    guard case .array(let elements) = members[1].value.content else {
      Issue.record("no array")
      return
    }
    #expect(elements == [JSONValue(.bool(true), line: 4)])
  }

  @Test(
    "Every text that RFC 8259 allows is read",
    arguments: [
      "null", " 0 ", "-0.5e+10", "1E3", "[]", "{}", "\"\\u0041\\ud83d\\ude00\\n\"", "\t[1 , 2]\r\n",
      "\"é\"", "{\"\": {\"\": []}}",
    ])
  func valid(_ text: String) {
    #expect(message(text) == nil)
  }

  @Test("Escapes become characters")
  func escapes() throws {
    let value = try JSONReader.read(Array(#""\u0041\ud83d\ude00\n\/""#.utf8))
    #expect(value.content == .string("A😀\n/"))
  }

  @Test(
    "A text that RFC 8259 forbids is refused, with the line",
    arguments: [
      ("", "1: expected a value, found the end of the file"),
      ("{\"a\" 1}", "1: expected ':' after the key 'a', found '1}'"),
      ("{\"a\": 1,}", "1: expected a key in quotation marks, found '}'"),
      ("[1,\n2,\n]", "3: expected a value, found ']'"),
      ("[1 2]", "1: expected ',' or ']', found '2]'"),
      ("{\"a\": 1", "1: expected ',' or '}', found the end of the file"),
      ("[1] x", "1: expected the end of the file, found 'x'"),
      ("// no\n1", "1: expected a value, found '// no'"),
      ("01", "1: expected a number that does not begin with 0, or 0 alone, found '01'"),
      ("1.", "1: expected a digit after the point, found the end of the file"),
      ("1e", "1: expected a digit in the exponent, found the end of the file"),
      ("-", "1: expected a digit, found the end of the file"),
      ("+1", "1: expected a value, found '+1'"),
      ("NaN", "1: expected a value, found 'NaN'"),
      ("nul", "1: expected a value, found 'nul'"),
      ("-01.5", "1: expected a number that does not begin with 0, or 0 alone, found '-01.5'"),
      ("[1,\n1.x]", "2: expected a digit after the point, found 'x]'"),
      (
        "\"a\nb\"",
        "1: expected a closing quotation mark or an escape, found the end of the line"
      ),
      (
        "\n\"a\tb\"",
        "2: expected a closing quotation mark or an escape, found the control character 0x09"
      ),
      (
        "\"a\u{1B}b\"",
        "1: expected a closing quotation mark or an escape, found the control character 0x1B"
      ),
      ("\"\\x\"", "1: expected one of \" \\ / b f n r t u after '\\', found 'x\"'"),
      ("\"\\", "1: expected one of \" \\ / b f n r t u after '\\', found the end of the file"),
      ("\"\\\n\"", "1: expected one of \" \\ / b f n r t u after '\\', found the end of the line"),
      (
        "\"\\ud800\"",
        "1: expected '\\u' with a whole character, or with both halves of one, found '\\ud800\"'"
      ),
      (
        "\"\\udc00\\ud800\"",
        "1: expected '\\u' with a whole character, or with both halves of one, found '\\udc00\\ud800'"
      ),
      ("\"\\u12\"", "1: expected four hexadecimal digits after '\\u', found '12\"'"),
      ("\"\\u12", "1: expected four hexadecimal digits after '\\u', found '12'"),
      ("[\n1.\n]", "2: expected a digit after the point, found the end of the line"),
      ("\u{FFFD}", "1: expected a value, found '\u{FFFD}'"),
      ("x" + String(repeating: "é", count: 12), "1: expected a value, found 'xééééééééééé'"),
      ("{\"a\"\n:1 \"b\"}", "2: expected ',' or '}', found '\"b\"}'"),
      ("\"a", "1: expected a closing quotation mark, found the end of the file"),
      (
        "{\"a\": 1,\n\"a\": 2}",
        "2: expected another key, found 'a' again, which is already in line 1"
      ),
      (
        "{\"a\": 1,\n\"\\u0061\": 2}",
        "2: expected another key, found 'a' again, which is already in line 1"
      ),
      ("\u{FEFF}1", "1: expected a value, found a byte order mark"),
    ])
  func invalid(_ text: String, _ expected: String) {
    #expect(message(text) == expected)
  }

  @Test("A wrong value gets one line with what was found and what was expected")
  func oneLine() throws {
    let valid = Array(#"{"a": [1.5e+3, -0, true, null], "b\u0041\ud83d\ude00": {"c": "\n"}}"#.utf8)
    for position in valid.indices {
      for byte: UInt8 in [0x00, 0x0A, 0x0D, 0x1B, 0x22, 0x2C, 0x30, 0x5C, 0x7D, 0xFF] {
        var text = valid
        text[position] = byte
        for text in [text, Array(valid[..<position]) + [byte], Array(valid[..<position])] {
          do throws(JSONError) {
            _ = try JSONReader.read(text)
          } catch {
            let words = error.message
            #expect(words.contains("expected ") && words.contains("found "), "\(words)")
            #expect(!words.hasSuffix("found ''"), "\(text)")
            #expect(
              !words.unicodeScalars.contains { $0.properties.generalCategory == .control },
              "\(words)")
          }
        }
      }
    }
  }

  @Test("Nesting has a limit, so that no file can use up the stack")
  func depth() {
    let limit = JSONReader.depthLimit
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(message(nested(limit)) == nil)
    #expect(
      message(nested(limit + 1))
        == "1: found lists and objects nested deeper than \(limit) levels, expected at most \(limit)"
    )
    #expect(message(String(repeating: "[", count: 1_000_000)) != nil)
  }

  @Test("Bytes that are not UTF-8 are refused with their line")
  func encoding() {
    let cases: [([UInt8], String)] = [
      ([0xFF], "FF"), ([0xC0, 0x80], "C0"), ([0xED, 0xA0, 0x80], "ED"), ([0xE2, 0x82], "E2"),
      ([0xC3, 0xA9, 0x80], "80"),
    ]
    for (bytes, found) in cases {
      do throws(JSONError) {
        _ = try JSONReader.read(Array("{\n\n\"".utf8) + bytes + Array("\"}".utf8))
        Issue.record("read \(bytes)")
      } catch {
        #expect(error.line == 3)
        #expect(
          error.message == "expected UTF-8, found the byte 0x\(found), which begins no character")
      }
    }
  }

  @Test("A value quoted in a message cannot move a cursor, and is short")
  func quoting() {
    #expect(printable("a\u{1B}[2Jb") == "a\\u{1b}[2Jb")
    #expect(printable(String(repeating: "x", count: 100)).count == 61)
    #expect(message("{\"a\": \u{1B}[31m") == "1: expected a value, found '\\u{1b}[31m'")
  }
}

@Suite("JSON is written the same every time")
struct JSONWriterTests {
  @Test("Members keep their order, levels are indented, empty lists are short")
  func shape() {
    let value = JSONValue.object([
      "b": .number(1), "a": .array([.bool(true), .null]), "c": .array([]), "d": .object([:]),
    ])
    let expected = """
      {
        "b": 1,
        "a": [
          true,
          null
        ],
        "c": [],
        "d": {}
      }
      """
    #expect(JSONWriter.text(value) == expected)
  }

  @Test("Numbers are rounded to a thousandth; infinite ones are null")
  func numbers() {
    #expect(JSONWriter.text(.number(1.0)) == "1")
    #expect(JSONWriter.text(.number(0.1 + 0.2)) == "0.3")
    #expect(JSONWriter.text(.number(2.00049)) == "2")
    #expect(JSONWriter.text(.number(Double.nan)) == "null")
    #expect(JSONWriter.text(.number(Double.infinity)) == "null")
    #expect(JSONWriter.text(.number(UInt64.max)) == "18446744073709551615")
  }

  @Test("Every text is read as it was written")
  func roundTrip() throws {
    let text = "\u{0}\u{1B}[31m \"quoted\" \\ \n\r\t \u{7F}\u{9B}\u{2028} é 😀"
    let written = JSONWriter.text(.string(text))
    #expect(written.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    #expect(try JSONReader.read(Array(written.utf8)).content == .string(text))
  }
}

@Suite("The nearest name is suggested")
struct NearestTests {
  @Test("A typing error finds its name, and nonsense finds none")
  func nearestNames() {
    let names = ["callers", "rounds", "operations"]
    #expect(nearest(to: "calers", among: names) == "callers")
    #expect(nearest(to: "oeprations", among: names) == "operations")
    #expect(nearest(to: "Rounds", among: names) == "rounds")
    #expect(nearest(to: "xyzzy", among: names) == nil)
    #expect(nearest(to: String(repeating: "callers", count: 100), among: names) == nil)
    #expect(nearest(to: "", among: names) == nil)
    #expect(
      suggestion(for: "xyzzy", among: names) == "expected one of: callers, rounds, operations")
    let many = (100...140).map { "scenario-\($0)" }
    #expect(
      Suggestion(for: "xyzzy", among: many, shownBy: "x list").text
        == "none of the 41 known names is similar, 'x list' shows them")
    let near = Suggestion(for: "scenario-13", among: many)
    #expect(near.text == "did you mean 'scenario-103'?")
    #expect(near.isQuestion)
    #expect(!Suggestion(for: "xyzzy", among: many).isQuestion)
    #expect(suggestion(for: "xyzzy", among: Array(many.dropLast())).hasSuffix(", scenario-139"))
  }
}
