import WaymarkPipeline

extension ScenesModule.Settings {
  /// What the configuration says.
  init(_ configuration: ServiceConfiguration) {
    self.init()
    folders = configuration.scenes.folders
    if folders.isEmpty, let samples = SourceFactory.sampleScenes {
      // Beside the sample frames, and wherever nothing else is configured: something to try.
      folders = [samples]
    }
    cache = configuration.scenes.cache
    load = configuration.scenes.load
    start = configuration.scenes.start
    beat = configuration.scenes.beat
    lostAfter = configuration.scenes.lostAfter
    library = configuration.anchorLibrary
    rate = configuration.anchorRate
    cameras.fieldOfView = configuration.camera.fieldOfView.map { $0 * .pi / 180 }
  }
}
