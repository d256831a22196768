import FuzzSupport
import WaymarkBarcodes
import WaymarkGeometry
import WaymarkImage

/// Small pictures (PNM) through the whole reader: the probe, the rescue passes and libzbar.
@main
struct FuzzCodes {
  static func main() {
    fuzz(seeds: []) { bytes, count in
      let file = input(bytes, count)
      guard count > 2, file[0] == UInt8(ascii: "P"),
        let image = try? PictureDecoder(pixelLimit: 40_000).gray(file).image
      else { return -1 }
      for effort in [ScanConfiguration.Effort.live, .still] {
        let configuration = ScanConfiguration(symbologies: Set(Symbology.allCases), effort: effort)
        guard var scanner = try? BarcodeScanner(configuration) else { return 0 }
        let reading = image.withView { scanner.scan($0) }
        for symbol in reading.symbols {
          require(!symbol.bytes.isEmpty, "an empty symbol")
          for corner in symbol.corners.corners { require(corner.x.isFinite && corner.y.isFinite, "no place") }
        }
      }
      return 0
    }
  }
}
