import ArgumentParser

/// The size and shape of prints, where a manifest does not name them.
struct PrintOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The width of the printed pictures, where the manifest names none.", valueName: "metres"))
  var physicalWidth: Double?

  @Option(
    help: ArgumentHelp(
      """
      The pictures are wrapped round upright cylinders of this radius (cans, bottles, columns), where the manifest names none; \
      with a width, which then runs round the cylinder.
      """, valueName: "metres"))
  var radius: Double?

  func validate() throws {
    if let physicalWidth, !(physicalWidth > 0 && physicalWidth <= 100) {
      throw ValidationError("--physical-width is a width in metres, above 0 and at most 100")
    }
    if let radius, !(radius > 0 && radius <= 100) {
      throw ValidationError("--radius is in metres, above 0 and at most 100")
    }
  }
}
