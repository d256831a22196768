internal import CModels
package import WaymarkImage

/// The models that find pages: the network for the mask, and the judges of outlines.
package struct PageModels: Sendable {
  let network: PageNetwork
  /// For hypotheses as they were put together.
  let first: PageScorer
  /// For outlines whose sides were traced.
  let traced: PageScorer
  /// For outlines that are only followed, where no mask is known.
  let followed: PageScorer

  /// Those of the program, read and checked at the first use, on whatever thread that is. They are a part of the program: a worker that
  /// may open no file has them too.
  private static let embedded = Result { () throws(ModelError) in
    try PageModels(
      network: ModelFile(waymark_page_network().file, name: "page-network"),
      scorers: ModelFile(waymark_page_scorers().file, name: "page-scorers"))
  }

  /// The models of this program.
  ///
  /// - Throws: why they cannot be used: damaged, of another format, or others than the program runs.
  package static func load() throws(ModelError) -> PageModels { try embedded.get() }

  init(network: ModelFile, scorers: ModelFile) throws(ModelError) {
    self.network = try PageNetwork(network)
    var numbers = ModelFile.Numbers(scorers)
    first = try PageScorer(&numbers, inputs: PageFeatures.count, of: scorers)
    traced = try PageScorer(&numbers, inputs: PageFeatures.count, of: scorers)
    followed = try PageScorer(&numbers, inputs: PageFeatures.countWithoutMask, of: scorers)
    guard numbers.isEmpty else { throw scorers.misfit("\(numbers.count) bytes follow the last judge") }
  }
}

extension waymark_model {
  /// The bytes that the linker took in.
  var file: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: count) }
}
