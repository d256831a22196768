/// A feature of an anchor as it lies in a library: eight bytes, without padding.
package struct AnchorFeature: Sendable, Equatable {
  /// The anchor's index in the library.
  package var anchor: UInt16
  /// Where it is on the reference, in 1/64 pixels.
  package var x64: UInt16
  /// Where it is on the reference, in 1/64 pixels.
  var y64: UInt16
  /// The view and level it was taken from: an index into `ViewCatalog.linears`.
  package var view: UInt8
  /// Its direction on that level.
  package var direction: UInt8

  /// The purpose of a feature.
  package enum Kind: Int, CaseIterable, Sendable { case usual, near, grazing }

  /// By the view that it was taken from.
  package var kind: Kind {
    Int(view) < ViewCatalog.firstDetail ? .usual : Int(view) < ViewCatalog.firstGrazing ? .near : .grazing
  }

  @inline(__always)
  package var position: SIMD2<Float> { SIMD2(Float(x64), Float(y64)) * (1 / 64) }
}
