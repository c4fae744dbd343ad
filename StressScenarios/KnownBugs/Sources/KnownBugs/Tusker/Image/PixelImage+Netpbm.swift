/// Why bytes cannot be decoded as an image.
package enum ImageDecodingError: Error, Sendable, Hashable {
  /// The bytes begin with neither `P5` nor `P6`.
  case unknownFormat
  /// In the header a number is missing or out of range.
  case badHeader
  /// There are fewer samples than the header says.
  case truncated
}

extension PixelImage {
  /// Decodes a binary PGM (`P5`) or PPM (`P6`) with samples of one byte.
  ///
  /// The header may contain comments, bytes after the samples are ignored, and samples of a smaller
  /// range are scaled to 0 to 255. Source: the Netpbm manual pages of the two formats.
  package init(netpbm bytes: [UInt8]) throws(ImageDecodingError) {
    guard bytes.starts(with: [UInt8(ascii: "P")]), bytes.count > 2,
      bytes[1] == UInt8(ascii: "5") || bytes[1] == UInt8(ascii: "6")
    else { throw .unknownFormat }
    let isGray = bytes[1] == UInt8(ascii: "5")
    var header = HeaderReader(bytes: bytes, position: 2)
    guard let width = header.number(), let height = header.number(), let range = header.number(),
      (1...255).contains(range), header.endsByWhitespace(),
      let pixels = Self.pixels(width, height)
    else { throw .badHeader }
    let count = pixels * (isGray ? 1 : 3)
    guard bytes.count - header.position >= count else { throw .truncated }
    var samples = Array(bytes[header.position..<(header.position + count)])
    if range < 255 {
      samples = samples.map { UInt8((min(Int($0), range) * 255 + range / 2) / range) }
    }
    guard
      let image = PixelImage(width: width, height: height, isGray: isGray, samples: samples)
    else { throw .badHeader }
    self = image
  }

  /// The image as a binary PGM or PPM.
  package var netpbm: [UInt8] {
    Array("P\(isGray ? 5 : 6)\n\(width) \(height)\n255\n".utf8) + samples
  }
}

/// Reads the numbers of a header.
private struct HeaderReader {
  let bytes: [UInt8]
  var position: Int

  /// The next number, after whitespace and comments; `nil` if there is none, or it has more than
  /// 9 digits.
  mutating func number() -> Int? {
    skipWhitespaceAndComments()
    let start = position
    var number = 0
    while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position])
    {
      guard position - start < 9 else { return nil }
      number = number * 10 + Int(bytes[position] - UInt8(ascii: "0"))
      position += 1
    }
    return position > start ? number : nil
  }

  /// Skips the single whitespace between the header and the samples; returns whether it is there.
  mutating func endsByWhitespace() -> Bool {
    guard position < bytes.count, isWhitespace(bytes[position]) else { return false }
    position += 1
    return true
  }

  private mutating func skipWhitespaceAndComments() {
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "#") {
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
      } else if isWhitespace(bytes[position]) {
        position += 1
      } else {
        return
      }
    }
  }

  private func isWhitespace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (9...13).contains(byte)
  }
}
