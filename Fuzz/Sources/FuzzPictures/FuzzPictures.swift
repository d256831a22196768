import FuzzSupport

@testable import WaymarkFrames
@testable import WaymarkImage

/// Picture files of every kind, decoded in gray and in colour, and what is read of their heads.
@main
struct FuzzPictures {
  static func main() {
    fuzz(seeds: []) { bytes, count in
      let file = input(bytes, count)
      let decoder = PictureDecoder(pixelLimit: 1 << 18)
      if let gray = try? decoder.gray(file) {
        let image = gray.image
        require(image.width > 0 && image.height > 0 && image.width * image.height <= 1 << 18, "size")
        _ = image[image.width - 1, image.height - 1]
        let colour = try? decoder.rgb(file)
        require(colour.map { ($0.image.width, $0.image.height) == (image.width, image.height) } ?? true, "sizes differ")
      }
      file.withUnsafeBytes { raw in
        _ = JPEGStructure.pictureSize(raw)
        _ = JPEGStructure.pictureEnd(raw)
        for orientation in [Orientation.upright, .turn180] {
          let whole = MJPEGToJPEG.complete(raw, orientation: orientation)
          require(whole.count >= raw.count, "a passage loses bytes")
        }
      }
      return 0
    }
  }
}
