extension ImageView {
  /// True if nine tenths of it are about as dark as its darkest pixel or as light as its lightest: a drawing, not a photograph.
  package var isDrawn: Bool {
    let histogram = GrayHistogram(self)
    guard let darkest = histogram.level(behind: 0), let lightest = histogram.level(before: 0), lightest > darkest
    else { return false }
    let slack = (lightest - darkest) / 5
    let between = histogram.counts[(darkest + slack + 1)..<max(darkest + slack + 1, lightest - slack)].reduce(0, +)
    return 10 * between < width * height
  }
}
