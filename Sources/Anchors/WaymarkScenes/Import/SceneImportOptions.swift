/// The caller's additions to the file.
package struct SceneImportOptions: Sendable {
  /// Path of the anchor's picture.
  package var anchorImage: String?
  /// Width of the printed picture in metres; the file's own width where it gives one.
  package var physicalWidth: Double?
  /// The scene's name; the file's alias or stem by default.
  package var name: String?

  package init(anchorImage: String? = nil, physicalWidth: Double? = nil, name: String? = nil) {
    self.anchorImage = anchorImage
    self.physicalWidth = physicalWidth
    self.name = name
  }
}
