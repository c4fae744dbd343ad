/// A decoded image: a row of samples, which stands in for Tusker's `UIImage`.
package struct PixelImage: Sendable, Hashable {
  private static let mark = Array("P5".utf8)

  /// The samples of its pixels.
  package let samples: [UInt8]

  /// Makes an image.
  package init(samples: [UInt8]) { self.samples = samples }

  /// Decodes an image; `nil` if the bytes are none.
  package init?(encoded bytes: [UInt8]) {
    guard bytes.starts(with: Self.mark) else { return nil }
    samples = Array(bytes.dropFirst(Self.mark.count))
  }

  /// The image as its source sends it.
  package var encoded: [UInt8] { Self.mark + samples }

  /// How many bytes the samples take.
  package var byteCount: Int { samples.count }

  /// The image with fewer shades, which stands in for one without colour.
  package func grayscale() -> PixelImage { PixelImage(samples: samples.map { $0 & 0xF0 }) }

  /// The image cut to at most `side` pixels.
  package func downscaled(to side: Int) -> PixelImage {
    PixelImage(samples: Array(samples.prefix(side)))
  }
}
