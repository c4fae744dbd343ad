/// In which form an image is asked for; each form is decoded once and kept under its own key.
package struct ImageVariant: OptionSet, Sendable, Hashable {
  /// One bit for each change to the original.
  package let rawValue: UInt8

  /// From bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// As it came from the source.
  package static let original: ImageVariant = []
  /// No larger than the cache's desired size.
  package static let downscaled = ImageVariant(rawValue: 1)
  /// Without colour.
  package static let grayscale = ImageVariant(rawValue: 2)

  /// Every form, for whoever removes a key.
  static let all: [ImageVariant] = [.original, .downscaled, .grayscale, [.downscaled, .grayscale]]

  /// An original image in this form.
  func applied(to original: PixelImage, desiredSide: Int?) -> PixelImage {
    var image = original
    // Downscaled first: fewer pixels are left to convert.
    if contains(.downscaled), let desiredSide { image = image.downscaled(to: desiredSide) }
    return contains(.grayscale) ? image.grayscale() : image
  }
}

/// What a decoded form is kept under.
struct VariantKey: Hashable, Sendable {
  var key: String
  var variant: ImageVariant
}
