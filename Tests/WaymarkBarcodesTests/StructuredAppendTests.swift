import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// Messages that are spread over several codes.
struct StructuredAppendTests {
  private static let identifiers: [Symbology: String?] = [
    .dataMatrix: .some("1281"), .aztec: .some("ID"), .pdf417: .some("017053"), .microPDF417: .some("017053"),
    .maxiCode: .none, .dotCode: .none,
  ]

  private func read(
    _ image: GrayImage, _ symbology: Symbology, _ effort: ScanConfiguration.Effort = .still
  ) throws -> ScanReading {
    try image.read(ScanConfiguration(symbologies: [symbology], effort: effort))
  }

  /// Symbols one below the other, each as far to the right as is said.
  private func sheet(_ shown: [MatrixFixture], shifts: [Int] = [0, 0, 0]) -> GrayImage {
    let pictures = shown.map { $0.draw(scale: 4) }
    let width = (pictures.map(\.width).max() ?? 1) + (shifts.max() ?? 0)
    return GrayImage(width: width, height: pictures.reduce(0) { $0 + $1.height }) { pixels in
      pixels.update(repeating: 235)
      var top = 0
      for (picture, shift) in zip(pictures, shifts) {
        for y in 0..<picture.height {
          for x in 0..<picture.width { pixels[(top + y) * width + shift + x] = picture[x, y] }
        }
        top += picture.height
      }
    }
  }

  @Test(
    "All parts in a picture are one message; of some each is told by itself, and which are missing",
    arguments: [Symbology.dataMatrix, .aztec, .pdf417, .microPDF417, .maxiCode, .dotCode])
  func parts(_ symbology: Symbology) throws {
    let parts = try MatrixFixture.load("parts.txt").filter { $0.symbology == symbology }
    for shifts in [[0, 0, 0], [0, 40, 12]] {
      let whole = try read(sheet([parts[2], parts[0], parts[1]], shifts: shifts), symbology)
      #expect(whole.symbols.map(\.text) == [parts.map(\.text).joined()])
      #expect(whole.symbols.map(\.part) == [nil])
      #expect(whole.incomplete.isEmpty)
    }
    let gap = try read(sheet([parts[2], parts[0]]), symbology)
    #expect(gap.symbols.map(\.text) == [parts[2].text, parts[0].text])
    let id = try #require(Self.identifiers[symbology])
    #expect(
      gap.symbols.map(\.part) == [3, 1].map { SymbolPart(index: $0, count: 3, id: id) })
    #expect(gap.incomplete.map(\.symbology) == [symbology])
    #expect(gap.incomplete.first?.missing == [2])
    #expect(gap.incomplete.first?.present == [1, 3])
    let one = try read(parts[1].draw(scale: 4), symbology)
    #expect(one.symbols.map(\.text) == [parts[1].text])
    #expect(one.incomplete.map(\.missing) == [[1, 3]])
  }

  private func code(
    _ text: String, _ index: Int, of count: Int?, id: String = "7", at x: Double = 0, _ symbology: Symbology = .qr
  ) -> StructuredAppend.Code {
    var message = CodeMessage()
    message.append(text)
    message.part = CodeMessage.Fragment(
      index: index, count: count, identifier: id, isCountedOnce: symbology == .pdf417)
    let corners = Quadrilateral(topLeft: [x, 0], topRight: [x + 9, 0], bottomRight: [x + 9, 9], bottomLeft: [x, 9])
    return StructuredAppend.Code(symbology: symbology, message: message, corners: corners)
  }

  @Test("A code that is seen again counts once; parts may come in several rounds")
  func rounds() {
    var append = StructuredAppend()
    append.add([code("b", 1, of: 2, at: 20)])
    append.add([code("b", 1, of: 2, at: 21)])
    #expect(append.outcome.parts.map(\.text) == ["b"])
    #expect(append.outcome.incomplete.map(\.missing) == [[1]])
    append.add([code("a", 0, of: 2)])
    #expect(append.outcome.whole.map(\.text) == ["ab"])
    #expect(append.outcome.parts.isEmpty)
    #expect(append.outcome.incomplete.isEmpty)
  }

  @Test("Two messages that nothing tells apart are not mixed")
  func ambiguous() {
    var append = StructuredAppend()
    let all = [
      code("a", 0, of: 2, id: ""), code("b", 1, of: 2, id: "", at: 20), code("x", 0, of: 2, id: "", at: 40),
    ]
    append.add(all)
    #expect(append.outcome.whole.isEmpty)
    #expect(append.outcome.parts.map(\.text) == ["a", "b", "x"])
    // The properties that do distinguish them: the identifier, the number of parts, the symbology.
    var apart = StructuredAppend()
    apart.add(all.prefix(2) + [code("x", 0, of: 2, id: "9", at: 40), code("y", 0, of: 3, id: "", at: 60)])
    apart.add([code("z", 0, of: 2, id: "", at: 80, .maxiCode)])
    #expect(apart.outcome.whole.map(\.text) == ["ab"])
    #expect(apart.outcome.parts.map(\.text) == ["x", "y", "z"])
  }

  @Test("The last part alone may tell how many there are")
  func countedLast() {
    var append = StructuredAppend()
    append.add([code("a", 0, of: nil, id: "007", .pdf417)])
    #expect(append.outcome.parts.map(\.part) == [SymbolPart(index: 1, count: nil, id: "007")])
    #expect(append.outcome.incomplete.map(\.missing) == [[]])
    append.add([code("b", 1, of: 2, id: "007", at: 20, .pdf417)])
    #expect(append.outcome.whole.map(\.text) == ["ab"])
  }

  @Test("A message of very many parts does not list them")
  func many() {
    var append = StructuredAppend()
    append.add([code("a", 99_998, of: 99_999, .pdf417)])
    #expect(append.outcome.incomplete.map(\.missing) == [[]])
    #expect(append.outcome.incomplete.map(\.present) == [[99_999]])
  }
}
