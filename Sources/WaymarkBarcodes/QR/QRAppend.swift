import WaymarkGeometry
import WaymarkImage

/// The parts of a structured append that were found in one picture.
enum QRAppend {
  /// Joins them: all clean matrices side by side make a picture in which the library sees every part at once.
  ///
  /// - Returns: the whole message, or what is missing.
  static func join(
    _ parts: [QRReader.Candidate], with zbar: inout ZBarScanner
  ) -> (symbol: Symbol?, incomplete: IncompleteSymbol?) {
    let found = parts.filter { $0.part != nil }
    guard !found.isEmpty else { return (nil, nil) }
    let pictures = found.compactMap { $0.part?.draw(scale: QRMatrix.cleanScale) }
    let width = pictures.reduce(0) { $0 + $1.width }
    let height = pictures.map(\.height).max() ?? 0
    let sheet = GrayImage(width: width, height: height) { pixels in
      pixels.update(repeating: 255)
      var left = 0
      for picture in pictures {
        for y in 0..<picture.height { for x in 0..<picture.width { pixels[y * width + left + x] = picture[x, y] } }
        left += picture.width
      }
    }
    let corners = found.map(\.grid.corners)
    let raw = sheet.withView { zbar.scan($0) }
    if let code = raw.codes.first, var symbol = Symbol(code, pass: .modules) {
      symbol.corners = Quadrilateral(enclosing: corners.flatMap(\.corners))
      return (symbol, nil)
    }
    let headers = found.compactMap { candidate in candidate.part.flatMap { QRAppendHeader($0, candidate.grid.layout) } }
    let count = headers.first?.count
    let present = Set(headers.filter { $0.count == count }.map { $0.index + 1 }).sorted()
    let missing = count.map { Array(Set(1...$0).subtracting(present)).sorted() } ?? []
    return (nil, IncompleteSymbol(count: count, present: present, missing: missing, corners: corners))
  }
}
