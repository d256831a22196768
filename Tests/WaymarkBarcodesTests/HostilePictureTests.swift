import Testing
import WaymarkImage

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
    var scanner = try BarcodeScanner(.still)
    let reading = try Fixture.load("qr-v7").withView { scanner.scan($0) }
    #expect(!reading.limited && reading.symbols.count == 1)
  }
}
