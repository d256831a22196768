/// The alignment templates of the anchors seen last: each takes half a megabyte and a millisecond to make.
struct TemplateCache {
  private struct Entry {
    var anchor: Int
    var used: UInt64
    var template: AnchorTemplate
  }
  private let capacity: Int
  private var entries: [Entry] = []
  private var clock: UInt64 = 0

  init(capacity: Int) { self.capacity = capacity }

  mutating func template(for anchor: Int, in library: AnchorLibrary) -> AnchorTemplate {
    clock += 1
    if let i = entries.firstIndex(where: { $0.anchor == anchor }) {
      entries[i].used = clock
      return entries[i].template
    }
    let template = AnchorTemplate(library.references[anchor].image)
    // The template has its own copy: without this the pictures of all anchors would gather in memory one after the other.
    library.forgetPixels(of: anchor)
    let entry = Entry(anchor: anchor, used: clock, template: template)
    if entries.count < capacity {
      entries.append(entry)
    } else if let oldest = entries.indices.min(by: { entries[$0].used < entries[$1].used }) {
      entries[oldest] = entry
    }
    return template
  }
}
