import Foundation
import Testing
import WaymarkGeometry
import WaymarkImage

@testable import WaymarkBarcodes

/// A symbol that `Scripts/make-code-fixtures` wrote down module by module.
struct MatrixFixture: Sendable, CustomTestStringConvertible {
  var symbology: Symbology
  var text: String
  var modules: ModuleMatrix

  var testDescription: String { "\(symbology.rawValue) \(modules.columns)×\(modules.rows) \(text.prefix(24))" }

  private static let folder = Fixture.folder.deletingLastPathComponent().appendingPathComponent("Matrices")

  static func load(_ name: String) throws -> [MatrixFixture] {
    let file = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    return try file.split(separator: "\n").map { line in
      let fields = line.split(separator: "\t").map(String.init)
      guard fields.count == 4, let symbology = Symbology(rawValue: fields[0]), let width = Int(fields[2]) else {
        throw CocoaError(.fileReadCorruptFile)
      }
      var dark: [Bool] = []
      let rows = fields[3].split(separator: " ")
      for row in rows {
        let bits = row.flatMap { digit in
          let value = digit.hexDigitValue ?? 0
          return [value & 8 != 0, value & 4 != 0, value & 2 != 0, value & 1 != 0]
        }
        let known = bits.drop { !$0 }
        dark += [Bool](repeating: false, count: width - known.count) + known
      }
      return MatrixFixture(
        symbology: symbology, text: fields[1].replacingOccurrences(of: "{GS}", with: "\u{1D}"),
        modules: ModuleMatrix(columns: width, rows: rows.count, dark: dark))
    }
  }

  /// The symbol as a picture: so many pixels a module, four light modules around.
  func draw(scale: Int, isInverted: Bool = false, isMirrored: Bool = false) -> GrayImage {
    let high = symbology == .pdf417 ? 3 : 1
    let (width, height) = ((modules.columns + 8) * scale, (modules.rows * high + 8) * scale)
    return GrayImage(width: width, height: height) { pixels in
      for y in 0..<height {
        for x in 0..<width {
          let u = (isMirrored ? width - 1 - x : x) / scale - 4
          let v = y / scale - 4
          let inside = (0..<modules.columns).contains(u) && (0..<(modules.rows * high)).contains(v)
          let dark = inside && modules[u, v / high]
          pixels[y * width + x] = dark != isInverted ? 20 : 235
        }
      }
    }
  }
}

extension GrayImage {
  /// The picture as a camera sees it that is tilted: its corners come to lie elsewhere.
  func seen(as corners: Quadrilateral, width: Int, height: Int) -> GrayImage {
    let (w, h) = (Double(self.width), Double(self.height))
    let frame = Quadrilateral(topLeft: [0, 0], topRight: [w, 0], bottomRight: [w, h], bottomLeft: [0, h])
    let back = Homography(from: corners, to: frame) ?? .identity
    return GrayImage(width: width, height: height) { pixels in
      withView { view in
        for y in 0..<height {
          for x in 0..<width {
            pixels[y * width + x] = UInt8(view.sample(back.apply([Double(x), Double(y)])))
          }
        }
      }
    }
  }
}
