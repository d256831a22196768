/// The symbologies to look for, and the effort.
public struct ScanConfiguration: Hashable, Sendable {
  /// How much time a picture is worth.
  public enum Effort: String, Hashable, Sendable, Codable, CaseIterable {
    /// One plain look, as the library does it: for comparison.
    case plain
    /// Frame after frame: the next frame is another chance.
    case live
    /// A still picture, or a person who pressed the button: everything that may help.
    case still
  }

  /// The symbologies to look for.
  public var symbologies: Set<Symbology>
  /// How much time a picture is worth.
  public var effort: Effort

  /// Passes that are left out: to measure the effect of each.
  public var withheld: Set<ScanPass>

  /// True if a still picture is done with the first code that is sure; else every code in it is wanted.
  public var stopsAtFirst = false

  /// A configuration from its parts.
  public init(
    symbologies: Set<Symbology> = Symbology.common, effort: Effort = .still, withheld: Set<ScanPass> = []
  ) {
    self.symbologies = symbologies
    self.effort = effort
    self.withheld = withheld
  }

  /// Everything, with every rescue.
  public static let still = ScanConfiguration()

  /// The chosen symbologies inside the time of a frame.
  public static func live(_ symbologies: Set<Symbology> = [.qr]) -> ScanConfiguration {
    ScanConfiguration(symbologies: symbologies, effort: .live)
  }
}
