/// The requested form of an image; each form is decoded once and cached under its own key.
package struct ImageVariant: OptionSet, Sendable, Hashable {
  /// One bit for each change to the original.
  package let rawValue: UInt8

  /// The variant of these bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// As received from the source.
  package static let original: ImageVariant = []
  /// No larger than the cache's desired size.
  package static let downscaled = ImageVariant(rawValue: 1)
  /// Without colour.
  package static let grayscale = ImageVariant(rawValue: 2)

  /// Every form, for removing a key.
  static let all: [ImageVariant] = [.original, .downscaled, .grayscale, [.downscaled, .grayscale]]

  /// An original image in this form.
  func applied(to original: PixelImage, desiredSide: Int?) -> PixelImage {
    var image = original
    // Downscaled first: fewer pixels are left to convert.
    if contains(.downscaled), let desiredSide { image = image.downscaled(to: desiredSide) }
    return contains(.grayscale) ? image.grayscale() : image
  }
}

/// The key of a decoded form.
struct VariantKey: Hashable, Sendable {
  var key: String
  var variant: ImageVariant
}
