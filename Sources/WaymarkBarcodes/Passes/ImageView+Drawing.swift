import WaymarkImage

extension ImageView {
  /// True if nine tenths of it are about as dark as its darkest pixel or as light as its lightest: a drawing, not a photograph.
  var isDrawn: Bool {
    var histogram = [Int](repeating: 0, count: 256)
    for y in 0..<height {
      let row = row(y)
      for x in 0..<width { histogram[Int(row[x])] += 1 }
    }
    guard let darkest = histogram.firstIndex(where: { $0 > 0 }),
      let lightest = histogram.lastIndex(where: { $0 > 0 }), lightest > darkest
    else { return false }
    let slack = (lightest - darkest) / 5
    let between = histogram[(darkest + slack + 1)..<max(darkest + slack + 1, lightest - slack)].reduce(0, +)
    return 10 * between < width * height
  }
}
