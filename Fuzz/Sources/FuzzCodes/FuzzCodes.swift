import FuzzSupport
import WaymarkBarcodes
import WaymarkImage

/// Small pictures (PNM) through the reader: the probe, the rescue passes and libzbar. The first byte says how they are read: one way
/// an input, for with every pass it takes a tenth of a second, and many inputs find more than thorough ones.
@main
struct FuzzCodes {
  static func main() {
    fuzz(seeds: []) { bytes, count in
      guard count > 3 else { return -1 }
      let all = input(bytes, count)
      let effort: ScanConfiguration.Effort = [.plain, .live, .still][Int(all[0] & 3) % 3]
      let file = Array(all[1...])
      guard file[0] == UInt8(ascii: "P"),
        let image = try? PictureDecoder(pixelLimit: effort == .still ? 12_000 : 40_000).gray(file).image
      else { return -1 }
      // All of them, or one: then the others do not stand before it.
      let symbologies = Symbology.allCases
      let only = Int(all[0] >> 2)
      let wanted = only < symbologies.count && only > 0 ? [symbologies[only]] : Set(symbologies)
      guard var scanner = try? BarcodeScanner(ScanConfiguration(symbologies: wanted, effort: effort)) else { return 0 }
      let reading = image.withView { scanner.scan($0) }
      for symbol in reading.symbols {
        // Add-ons bring what carries them.
        let isCarrier = Symbology.retail.contains(symbol.symbology) && !wanted.isDisjoint(with: [.ean2, .ean5])
        require(wanted.contains(symbol.symbology) || isCarrier, "a symbology that is not wanted")
        require(!symbol.bytes.isEmpty, "an empty symbol")
        for corner in symbol.corners.corners { require(corner.x.isFinite && corner.y.isFinite, "no place") }
      }
      return 0
    }
  }
}
