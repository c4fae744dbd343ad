/// The head of a message: a first line of three words, and fields of which only one is used.
struct HTTPHead {
  var firstLine: [String]
  /// From the field `Content-Length`, where it is a number.
  var contentLength: Int?
  /// Bytes of the body that arrived with the head.
  var beginningOfBody: [UInt8]

  enum Fault: Error {
    /// The peer stopped before the end of the head.
    case broken
    /// The head is longer than `longest`.
    case tooLong
    /// The first line has no three words, or a field no colon.
    case malformed
  }

  private static let longest = 8192

  /// Reads from a connection to the end of the head.
  static func read(from socket: LoopbackSocket) throws -> HTTPHead {
    var bytes: [UInt8] = []
    while true {
      if let end = endOfHead(bytes) { return try HTTPHead(bytes, end: end) }
      guard bytes.count <= longest else { throw Fault.tooLong }
      let more = try socket.receive(limit: 4096)
      guard !more.isEmpty else { throw Fault.broken }
      bytes += more
    }
  }

  /// Where the empty line after the head begins.
  private static func endOfHead(_ bytes: [UInt8]) -> Int? {
    let end = Array("\r\n\r\n".utf8)
    guard bytes.count >= end.count else { return nil }
    return (0...(bytes.count - end.count)).first { bytes[$0..<($0 + end.count)].elementsEqual(end) }
  }

  private init(_ bytes: [UInt8], end: Int) throws(Fault) {
    // In a string `\r\n` is one character, and a lone `\r` or `\n` is another.
    let lines = String(decoding: bytes[..<end], as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: false)
    firstLine = lines[0].split(separator: " ", maxSplits: 2).map(String.init)
    guard firstLine.count == 3 else { throw .malformed }
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { throw .malformed }
      if line[..<colon].lowercased() == "content-length" {
        let text = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        guard let length = Int(text), length >= 0 else { throw .malformed }
        contentLength = length
      }
    }
    beginningOfBody = Array(bytes[(end + 4)...])
  }
}

/// The server's response.
struct HTTPResponse {
  var status: Int
  var body: [UInt8] = []

  /// The bytes to send; the connection closes after them.
  var encoded: [UInt8] {
    let reason =
      switch status {
      case 200: "OK"
      case 400: "Bad Request"
      case 404: "Not Found"
      case 405: "Method Not Allowed"
      case 431: "Request Header Fields Too Large"
      default: "Error"
      }
    return Array(
      ("HTTP/1.1 \(status) \(reason)\r\nContent-Length: \(body.count)\r\n"
        + "Connection: close\r\n\r\n").utf8) + body
  }
}
