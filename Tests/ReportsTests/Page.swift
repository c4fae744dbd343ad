import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// A parsed page, or the reason why it cannot be parsed.
final class Page: NSObject, XMLParserDelegate {
  struct Element {
    var name: String
    var attributes: [String: String]
    var text = ""
    var parents: [String]
  }

  private(set) var elements: [Element] = []
  private(set) var error: String?
  private var open: [Int] = []

  init(_ text: String) {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    if !parser.parse() { error = error ?? "not parsed" }
    if !open.isEmpty || elements.isEmpty { error = error ?? "not whole" }
  }

  // A parser that recovers from a mistake reports it only here.
  func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
    error = error ?? "line \(parser.lineNumber): \(parseError)"
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    let parents = open.map { elements[$0].name }
    open.append(elements.count)
    elements.append(Element(name: name, attributes: attributes, parents: parents))
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    for index in open { elements[index].text += text }
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    open.removeLast()
  }

  /// All elements of a name.
  func all(_ name: String) -> [Element] { elements.filter { $0.name == name } }

  /// The values of an attribute, on any element.
  func values(_ attribute: String) -> [String] { elements.compactMap { $0.attributes[attribute] } }
}
