/// A queue of lines whose owners take turns: however much one of them brings, the next one waits for one piece of it.
struct FairQueue<Owner: Hashable, Element> {
  private var lines: [Owner: [Element]] = [:]
  /// Owners of whom something waits; the first one is next.
  private var order: [Owner] = []
  /// How many wait.
  private(set) var count = 0

  /// Adds an element to the end of its owner's line.
  mutating func append(_ element: Element, of owner: Owner) {
    if lines[owner] == nil { order.append(owner) }
    lines[owner, default: []].append(element)
    count += 1
  }

  /// How many wait of an owner.
  func count(of owner: Owner) -> Int { lines[owner]?.count ?? 0 }

  /// Takes the first element that `isReady` from the owner whose turn it is; an owner with none is skipped.
  mutating func next(where isReady: (Element) -> Bool = { _ in true }) -> Element? {
    for (place, owner) in order.enumerated() {
      guard let index = lines[owner]?.firstIndex(where: isReady), let element = lines[owner]?.remove(at: index) else {
        continue
      }
      count -= 1
      order.remove(at: place)
      if lines[owner]?.isEmpty ?? true { lines[owner] = nil } else { order.append(owner) }
      return element
    }
    return nil
  }

  /// Takes out what is not to wait any longer.
  mutating func removeAll(where isOver: (Element) -> Bool) -> [Element] {
    var removed: [Element] = []
    for owner in order {
      removed += lines[owner]?.filter(isOver) ?? []
      lines[owner]?.removeAll(where: isOver)
      if lines[owner]?.isEmpty ?? true { lines[owner] = nil }
    }
    order.removeAll { lines[$0] == nil }
    count -= removed.count
    return removed
  }
}
