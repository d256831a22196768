/// Templates of the anchors that were seen last, so that one that comes back costs nothing.
struct FollowedTemplates {
  /// The most templates kept: each takes about half a megabyte.
  static let capacity = 40

  private var entries: [(anchor: Int, template: AnchorTemplate)] = []

  /// The template of an anchor, made when it is not there.
  mutating func template(_ anchor: Int, _ reference: AnchorReference) -> AnchorTemplate {
    if let i = entries.firstIndex(where: { $0.anchor == anchor }) {
      let entry = entries.remove(at: i)
      entries.append(entry)
      return entry.template
    }
    if entries.count >= Self.capacity { entries.removeFirst() }
    let template = AnchorTemplate(reference.image)
    entries.append((anchor, template))
    return template
  }
}
