import WaymarkImage

/// How many copies of each anchor are told in one frame.
///
/// A copy is another thing that shows the same picture: the boxes of one article on a shelf. Where one is allowed, the first one found
/// stands for all.
public struct AnchorCopies: Hashable, Sendable {
  /// The most copies of an anchor, and of all anchors of which several are allowed together.
  public static let most = 30

  private let common: Int
  private let named: [String: Int]

  /// - Parameters:
  ///   - common: how many of every anchor, 1 to `most`; a number beyond these bounds counts as the nearest one within.
  ///   - named: how many of the anchors with these names.
  public init(_ common: Int = 1, named: [String: Int] = [:]) {
    self.common = Self.bounded(common)
    self.named = named.mapValues(Self.bounded).filter { [common = self.common] in $0.value != common }
  }

  /// True if there is one of each.
  public var isSingle: Bool { common == 1 && named.isEmpty }

  /// How many copies of the anchor with this name are told.
  public func allowed(of name: String) -> Int { named[name] ?? common }

  private static func bounded(_ count: Int) -> Int { min(max(count, 1), most) }
}

/// How many copies there may be of each anchor of a library, and whether a claim is a further one.
struct CopyLimits {
  private let references: [AnchorReference]
  /// By the anchors' indices; empty where there is one of each.
  private let limits: [Int]
  /// The anchors of which there may be several.
  let several: [Int]

  init(_ copies: AnchorCopies, _ references: [AnchorReference]) {
    self.references = references
    let limits = copies.isSingle ? [] : references.map { copies.allowed(of: $0.name) }
    self.limits = limits
    several = limits.indices.filter { limits[$0] > 1 }
  }

  /// True if there is one of each.
  var isSingle: Bool { several.isEmpty }

  subscript(anchor: Int) -> Int { limits.isEmpty ? 1 : limits[anchor] }

  /// Returns whether a claim may be told beside others: its anchor has a copy left, and it does not lie on another claim.
  func allow(_ claim: DetectedAnchor, beside others: [DetectedAnchor]) -> Bool {
    guard let outline = outline(claim), others.count(where: { $0.anchor == claim.anchor }) < self[claim.anchor] else {
      return false
    }
    return !others.contains { self.outline($0)?.overlaps(outline) ?? false }
  }

  /// The outline of a claim, without the lens's distortion.
  func outline(_ claim: DetectedAnchor) -> Quadrilateral? {
    let reference = references[claim.anchor]
    return claim.map.outline(width: reference.width, height: reference.height)
  }
}
