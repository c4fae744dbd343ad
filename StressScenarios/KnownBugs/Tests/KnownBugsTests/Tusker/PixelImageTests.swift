import Testing

import Caches
@testable import KnownBugs

@Suite("An image")
struct PixelImageTests {
  private static func ppm(_ header: String, _ samples: [UInt8]) -> [UInt8] {
    Array(header.utf8) + samples
  }

  @Test(
    "An image is decoded from what it was encoded to, in colour and gray", arguments: [true, false])
  func roundTrip(isGray: Bool) throws {
    let samples = (0..<(6 * (isGray ? 1 : 3))).map { UInt8($0 * 13) }
    let image = try #require(PixelImage(width: 3, height: 2, isGray: isGray, samples: samples))
    #expect(try PixelImage(netpbm: image.netpbm) == image)
    #expect(image.netpbm.starts(with: (isGray ? "P5\n3 2\n255\n" : "P6\n3 2\n255\n").utf8))
  }

  @Test("An image may have comments in its header, a smaller range, and something after it")
  func peculiarities() throws {
    let bytes = Self.ppm("P5 # a comment\n#another\n2\t1 100\n", [0, 50, 9, 9])
    let image = try PixelImage(netpbm: bytes)
    #expect(image.samples == [0, 128])
    #expect((image.width, image.height, image.isGray) == (2, 1, true))
    #expect(try PixelImage(netpbm: Self.ppm("P6 0 7 255\n", [])).samples == [])
  }

  @Test(
    "An image is refused by the name of its fault",
    arguments: [
      ("", ImageDecodingError.unknownFormat), ("P", .unknownFormat), ("GIF89a", .unknownFormat),
      ("P4 1 1\n", .unknownFormat), ("P5", .unknownFormat), ("P5 ", .badHeader),
      ("P5 1 1 255", .badHeader), ("P5 -1 1 255\n", .badHeader), ("P5 1 1 0\na", .badHeader),
      ("P5 1 1 256\na", .badHeader), ("P5 1 1 9999999999999999999\na", .badHeader),
      ("P5 99999999 99999999 255\n", .badHeader), ("P5 #no end", .badHeader),
      ("P6 2 1 255\nabcde", .truncated), ("P5 1 1 255\n", .truncated),
    ])
  func faults(text: String, error: ImageDecodingError) {
    #expect(throws: error) { try PixelImage(netpbm: Array(text.utf8)) }
  }

  @Test("An image has as many samples as its size says")
  func size() {
    #expect(PixelImage(width: 2, height: 2, isGray: true, samples: [1, 2, 3]) == nil)
    #expect(PixelImage(width: -1, height: -4, isGray: true, samples: [1, 2, 3, 4]) == nil)
    #expect(PixelImage(width: .max, height: 2, isGray: true, samples: []) == nil)
  }

  @Test("An image is downscaled to the mean of what each pixel covers, in its proportions")
  func downscaling() throws {
    let image = try #require(
      PixelImage(width: 4, height: 2, isGray: true, samples: [0, 10, 100, 101, 20, 30, 102, 103]))
    let half = image.downscaled(to: 2)
    #expect((half.width, half.height) == (2, 1))
    #expect(half.samples == [15, 102])
    #expect(image.downscaled(to: 4) == image)
    let red = try #require(
      PixelImage(width: 2, height: 1, isGray: false, samples: [200, 0, 0, 100, 0, 50]))
    #expect(red.downscaled(to: 1).samples == [150, 0, 25])
    // A line does not lose its only row.
    let line = try #require(
      PixelImage(width: 9, height: 1, isGray: true, samples: Array(0..<9)))
    #expect((line.downscaled(to: 3).width, line.downscaled(to: 3).height) == (3, 1))
    #expect(line.downscaled(to: 3).samples == [1, 4, 7])
  }

  @Test("An image is gray by the weights of the eye")
  func gray() throws {
    let colours = try #require(
      PixelImage(
        width: 4, height: 1, isGray: false,
        samples: [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]))
    #expect(colours.grayscale().samples == [76, 150, 29, 255])
    #expect(colours.grayscale().grayscale() == colours.grayscale())
  }
}
