#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The elementary functions of the C library. Only this file of WaymarkImage imports its module.
///
/// Embedded Swift has no module for the C library, so there the program declares these functions itself
/// (`Tests/Support/arm64/elementary.swift`).
extension Double {
  package static func sine(_ x: Double) -> Double { sin(x) }
  package static func cosine(_ x: Double) -> Double { cos(x) }
  package static func tangent(_ x: Double) -> Double { tan(x) }
  package static func arcTangent(y: Double, x: Double) -> Double { atan2(y, x) }
  package static func arcTangent(_ x: Double) -> Double { atan(x) }
  package static func exponential(_ x: Double) -> Double { exp(x) }
  package static func naturalLogarithm(_ x: Double) -> Double { log(x) }
  static func complementaryError(_ x: Double) -> Double { erfc(x) }
  package static func power(_ x: Double, _ y: Double) -> Double { pow(x, y) }
}
