import Foundation
import Testing
import WaymarkImage
import WaymarkSystem

@testable import WaymarkBarcodes

/// Pictures that are made to cost as much as possible: what they cost is counted, and bounded.
@Suite struct HostilePictureTests {
  /// A picture tiled with finder patterns of `scale` pixels a module.
  private func tiled(_ side: Int, scale: Int, pitch: Int = 8) -> GrayImage {
    GrayImage(width: side, height: side) { pixels in
      for y in 0..<side {
        for x in 0..<side {
          let (column, row) = (x / scale % pitch, y / scale % pitch)
          let ring = max(abs(column - 3), abs(row - 3))
          pixels[y * side + x] = ring == 2 || ring > 3 ? 255 : 0
        }
      }
    }
  }

  @Test(arguments: [(1, 8), (2, 8), (3, 8), (3, 9), (3, 21)])
  func finderPatternsEverywhereCostNoMoreThanAPictureMay(scale: Int, pitch: Int) throws {
    let picture = tiled(1200, scale: scale, pitch: pitch)
    for effort in [ScanConfiguration.Effort.still, .live, .plain] {
      var scanner = try BarcodeScanner(ScanConfiguration(symbologies: [.qr], effort: effort))
      let reading = picture.withView { scanner.scan($0) }
      #expect(reading.symbols.isEmpty)
      #expect(scanner.zbar.matrixLooks == 0, "the library would try each pattern with each")
    }
  }

  @Test func theSearchStopsWhereNoPictureOfCodesGoes() throws {
    let picture = tiled(2000, scale: 2)
    let search = picture.withView { FinderSearch($0, levels: BlockMean($0)) }
    #expect(search.isLimited)
    #expect(search.found.allSatisfy { $0.count <= FinderSearch.capacity })
    #expect(search.looks <= 2000 + 2000 * 2000 / 64 + 2000, "a row more than the bound at most")
  }

  @Test func readingStopsAtItsBudgetAndSaysSo() throws {
    let picture = tiled(1200, scale: 3, pitch: 9)
    let whole = ReadingBudget.still
    let spent = picture.withView { view in
      var field = FinderField()
      let octaves = Octaves(view)
      field.add(FinderSearch(view, levels: octaves[0].levels), octave: 0, factor: 1)
      var reader = QRReader(budget: ReadingBudget(whole))
      _ = reader.read(octaves, field)
      return whole - reader.budget.left
    }
    // The last step may end beyond it.
    #expect(spent <= whole + whole / 20)
    var scanner = try BarcodeScanner(.still)
    #expect(picture.withView { scanner.scan($0) }.limited)
  }

  @Test func anOrdinaryPictureIsNotLimited() throws {
    let reading = try Fixture.load("qr-v7").read(.still)
    #expect(!reading.limited && reading.symbols.count == 1)
  }
}

/// Broken files crash neither decoder nor scanner.
struct MutationTests {
  private func originals() throws -> [[UInt8]] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures/Pictures/read")
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .sorted { $0.path < $1.path }.map { [UInt8](try Data(contentsOf: $0)) }
  }

  private func mutate(_ file: [UInt8], _ generator: inout SplitMix) -> [UInt8] {
    var bytes = file
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
    case 1:
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
    case 2:  // where sizes and tables stand
      for _ in 0..<3 {
        bytes[Int.random(in: 0..<min(64, bytes.count), using: &generator)] = .random(in: 0...255, using: &generator)
      }
    case 3:  // a piece twice, or in the wrong place
      let from = Int.random(in: 0..<bytes.count, using: &generator)
      let piece = bytes[from..<min(bytes.count, from + Int.random(in: 1...200, using: &generator))]
      bytes.insert(contentsOf: piece, at: Int.random(in: 0...bytes.count, using: &generator))
    default:  // noise behind an honest beginning
      let keep = Int.random(in: 0...min(40, bytes.count), using: &generator)
      for i in keep..<min(bytes.count, 400) { bytes[i] = .random(in: 0...255, using: &generator) }
      bytes.removeLast(max(0, bytes.count - 400))
    }
    return bytes
  }

  @Test func tenThousandBrokenFilesDoNoHarm() throws {
    let originals = try originals()
    #expect(originals.count > 50)
    var generator = SplitMix(state: 2024)
    let decoder = PictureDecoder(pixelLimit: 40_000)
    var scanner = try BarcodeScanner(ScanConfiguration(effort: .plain))
    var (decoded, read, refused) = (0, 0, 0)
    for round in 0..<10_000 {
      let file = mutate(originals[round % originals.count], &generator)
      do {
        let picture = try decoder.gray(file)
        decoded += 1
        read += picture.image.withView { scanner.scan($0) }.symbols.count
      } catch {
        #expect(!error.message.isEmpty && !error.hint.isEmpty)
        refused += 1
      }
    }
    // Both ends of the road are met.
    #expect(decoded > 1000 && read > 500 && refused > 3000)
  }

  /// Pictures of noise in every odd size: straight to the scanner, with all it can do. What it reads in one lies within it, is read
  /// in it again, and nothing of it is left when an honest picture comes.
  @Test func oddPicturesDoNoHarm() throws {
    var generator = SplitMix(state: 7)
    var scanner = try BarcodeScanner(.still)
    let honest = try Fixture.load("qr-ascii")
    for round in 0..<300 {
      let (width, height) = (Int.random(in: 1...90, using: &generator), Int.random(in: 1...70, using: &generator))
      let block = Int.random(in: 1...5, using: &generator)
      let cells = (0..<((width / block + 1) * (height / block + 1))).map { _ in
        Bool.random(using: &generator) ? UInt8.max : 0
      }
      let picture = GrayImage(width: width, height: height) { out in
        for y in 0..<height {
          for x in 0..<width { out[y * width + x] = cells[y / block * (width / block + 1) + x / block] }
        }
      }
      let symbols = picture.withView { scanner.scan($0) }.symbols
      for symbol in symbols {
        #expect(!symbol.bytes.isEmpty)
        // Corners lie on the outer edge of modules, half a pixel beyond the last centre at most, and are found to a block.
        let reach = Double(block) + 0.5
        for corner in symbol.corners.corners {
          #expect((-reach...Double(width - 1) + reach).contains(corner.x), "\(round)")
          #expect((-reach...Double(height - 1) + reach).contains(corner.y), "\(round)")
        }
      }
      if !symbols.isEmpty { #expect(picture.withView { scanner.scan($0) }.symbols == symbols, "\(round)") }
      if round.isMultiple(of: 30) {
        #expect(honest.withView { scanner.scan($0) }.symbols.map(\.text) == ["WAYMARK-1"], "\(round)")
      }
    }
  }
}
