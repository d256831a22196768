public import WaymarkImage

/// One preset picture, as the library holds it.
public struct AnchorReference: Sendable {
  private enum Picture: Sendable {
    case image(GrayImage)
    case filed(LibraryPicture)
  }

  /// Its name, unique in its library.
  public let name: String
  /// The width of the printed picture in metres; `nil` where it is not known, and then there is no pose.
  public let physicalWidth: Double?
  /// The radius of the upright cylinder that the picture is wrapped round, in metres; `nil` where it is flat.
  public let radius: Double?
  private let picture: Picture
  /// How many times the reference's size its stored pixels are: 1, or 2 where the picture has that much detail.
  package let detail: Int

  /// A reference from its parts.
  public init(name: String, physicalWidth: Double?, image: GrayImage, radius: Double? = nil) {
    self.name = name
    self.radius = radius
    self.physicalWidth = physicalWidth
    picture = .image(image)
    detail = 1
  }

  /// A reference whose pixels stay in the library's file.
  init(name: String, physicalWidth: Double?, picture: LibraryPicture, detail: Int, radius: Double?) {
    self.name = name
    self.radius = radius
    self.physicalWidth = physicalWidth
    self.picture = .filed(picture)
    self.detail = detail
  }

  /// Width of the reference in pixels.
  public var width: Int {
    switch picture {
    case .image(let image): image.width
    case .filed(let picture): picture.width / detail
    }
  }

  /// Height of the reference in pixels.
  public var height: Int {
    switch picture {
    case .image(let image): image.height
    case .filed(let picture): picture.height / detail
    }
  }

  /// The picture in gray with its long side scaled to 480 pixels, read from the library's file each time; `nil` where the file was
  /// damaged or cut off since it was opened. Homographies and corners are in its pixels.
  public var image: GrayImage? { detail == 1 ? pixels : pixels?.resized(width: width, height: height) }

  /// The pixels as they are stored, `detail` times the reference's size; `nil` as for `image`.
  package var pixels: GrayImage? {
    switch picture {
    case .image(let image): return image
    case .filed(let picture):
      let buffer = PixelBuffer(capacity: picture.width * picture.height)
      guard picture.read(into: buffer) else { return nil }
      return GrayImage(width: picture.width, height: picture.height, buffer: buffer)
    }
  }

  /// The same without taking memory, where `buffer` has enough of it.
  func pixels(in buffer: PixelBuffer) -> GrayImage? {
    guard case .filed(let picture) = picture, buffer.capacity >= picture.width * picture.height else { return pixels }
    guard picture.read(into: buffer) else { return nil }
    return GrayImage(width: picture.width, height: picture.height, buffer: buffer)
  }
}
