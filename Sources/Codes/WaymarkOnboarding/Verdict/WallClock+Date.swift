package import FoundationEssentials
package import WaymarkSystem

extension WallClock {
  /// Now, as verdicts take it.
  package static var date: Date { Date(timeIntervalSince1970: now) }
}
