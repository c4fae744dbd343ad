/// A decoded image: 8-bit samples, row by row, one for each pixel of a gray image and three of a
/// coloured one.
///
/// It replaces Tusker's `UIImage`: decoded once and shared by every view.
package struct PixelImage: Sendable, Hashable {
  /// How many pixels a row has; 0 if there are no pixels.
  package let width: Int
  /// How many rows there are; 0 if there are no pixels.
  package let height: Int
  /// Whether a pixel is one sample and not three.
  package let isGray: Bool
  /// The samples: red, green and blue for each pixel, or one.
  package let samples: [UInt8]

  /// Makes an image; `nil` if the number of samples does not match the size, or there are more
  /// than `maximumPixels` pixels.
  package init?(width: Int, height: Int, isGray: Bool, samples: [UInt8]) {
    guard let pixels = Self.pixels(width, height),
      samples.count == pixels * (isGray ? 1 : 3)
    else { return nil }
    self.width = width
    self.height = height
    self.isGray = isGray
    self.samples = samples
  }

  /// The most pixels that an image may have, so that a header alone cannot ask for all memory.
  package static let maximumPixels = 1 << 26

  static func pixels(_ width: Int, _ height: Int) -> Int? {
    guard width >= 0, height >= 0 else { return nil }
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    return overflow || pixels > maximumPixels ? nil : pixels
  }

  // For the transforms, whose sample count is right by construction.
  private init(_ width: Int, _ height: Int, _ isGray: Bool, _ samples: [UInt8]) {
    (self.width, self.height, self.isGray, self.samples) = (width, height, isGray, samples)
  }

  /// How many bytes the samples take.
  package var byteCount: Int { samples.count }

  /// The image without colour, by the weights of ITU-R BT.601; a gray image is returned unchanged.
  package func grayscale() -> PixelImage {
    if isGray { return self }
    var gray: [UInt8] = []
    gray.reserveCapacity(width * height)
    for start in stride(from: 0, to: samples.count, by: 3) {
      let weighted =
        299 * Int(samples[start]) + 587 * Int(samples[start + 1]) + 114 * Int(samples[start + 2])
      gray.append(UInt8((weighted + 500) / 1000))
    }
    return PixelImage(width, height, true, gray)
  }

  /// The image scaled to at most `side` pixels in width and height; a smaller image is returned
  /// unchanged.
  ///
  /// Each new pixel is the mean of those that it covers.
  package func downscaled(to side: Int) -> PixelImage {
    let longest = max(width, height)
    guard side > 0, longest > side else { return self }
    let newWidth = max(1, width * side / longest)
    let newHeight = max(1, height * side / longest)
    let channels = isGray ? 1 : 3
    var scaled: [UInt8] = []
    scaled.reserveCapacity(newWidth * newHeight * channels)
    for row in 0..<newHeight {
      let rows = (row * height / newHeight)..<((row + 1) * height / newHeight)
      for column in 0..<newWidth {
        let columns = (column * width / newWidth)..<((column + 1) * width / newWidth)
        for channel in 0..<channels { scaled.append(mean(rows, columns, channel, channels)) }
      }
    }
    return PixelImage(newWidth, newHeight, isGray, scaled)
  }

  private func mean(_ rows: Range<Int>, _ columns: Range<Int>, _ channel: Int, _ channels: Int)
    -> UInt8
  {
    var sum = 0
    for y in rows {
      for x in columns { sum += Int(samples[(y * width + x) * channels + channel]) }
    }
    let count = rows.count * columns.count
    return UInt8((sum + count / 2) / count)
  }
}
