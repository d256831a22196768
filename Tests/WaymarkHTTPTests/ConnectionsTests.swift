import Testing

@testable import WaymarkHTTP

@Suite("Which connections stay")
struct ConnectionTableTests {
  @Test("Beyond the limit the oldest goes that has not proved itself")
  func oldest() {
    var table = ConnectionTable<Int>(limit: 3)
    let gone = (1...5).map { key in
      if key == 4 { table.authenticated(1) }
      return table.opened(key)
    }
    #expect(gone == [nil, nil, nil, 2, 3])
    #expect(table.count == 3)
  }

  @Test("Where all have proved themselves the new one goes")
  func allProven() {
    var table = ConnectionTable<Int>(limit: 2)
    for key in 1...2 {
      _ = table.opened(key)
      table.authenticated(key)
    }
    let refused = table.opened(3)
    #expect(refused == 3)
    #expect(table.count == 2)
    table.closed(1)
    let taken = table.opened(4)
    #expect(taken == nil)
  }

  @Test("The time to prove itself ends once, and only for those who have not")
  func expiry() {
    var table = ConnectionTable<Int>(limit: 2)
    _ = table.opened(1)
    _ = table.opened(2)
    table.authenticated(2)
    let expired = [1, 1, 2].map { table.expired($0) }
    #expect(expired == [true, false, false])
    #expect(table.count == 1)
  }

  @Test("However connections come, prove themselves and go, there are never more than the limit")
  func walk() {
    var table = ConnectionTable<Int>(limit: 7)
    var open: Set<Int> = []
    var generator = SplitMix(state: 48)
    for key in 0..<20_000 {
      open.insert(key)
      if let gone = table.opened(key) { #expect(open.remove(gone) != nil) }
      if let one = open.randomElement(using: &generator) {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: table.authenticated(one)
        case 1: if table.expired(one) { open.remove(one) }
        case 2:
          table.closed(one)
          open.remove(one)
        default: break
        }
      }
      #expect(table.count == open.count && open.count <= 7)
    }
  }
}
