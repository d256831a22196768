/// How well a picture will be found, as measured on simulated views when it was compiled.
package struct AnchorQuality: Sendable, Equatable {
  /// The share of the simulated views in which enough features were found again, 0…1.
  package var recall: Double
  package init(recall: Double) { self.recall = recall }
}
