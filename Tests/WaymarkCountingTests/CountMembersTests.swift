import Testing
import WaymarkStation

/// A count's clients, and its end.
@Suite struct CountMembersTests {
  @Test("A count lasts until the last of those who take part has ended it") func lasts() {
    var members = CountMembers()
    #expect(members.join(1, wanted: nil, new: "a") == (nil, true))
    #expect(members.join(2, wanted: nil, new: "b") == (nil, false))
    #expect(members.count == "a" && members.contains(1) && members.contains(2) && !members.contains(3))
    #expect(members.end(3) == nil)
    #expect(members.end(1) == nil)
    #expect(members.end(1) == nil)
    #expect(members.end(2) == "a")
    #expect(members.count == nil)
    #expect(members.end(2) == nil)
  }

  @Test("Who lost the connection finds the count again for half a minute") func returns() {
    var members = CountMembers()
    _ = members.join(1, wanted: nil, new: "a")
    #expect(members.lose(2, at: 100) == nil)
    #expect(members.lose(1, at: 100) == 30)
    #expect(members.expire(at: 129.9) == nil)
    #expect(members.join(4, wanted: "a", new: "b") == (nil, false))
    // Whoever came back keeps it.
    #expect(members.expire(at: 200) == nil)
    #expect(members.lose(4, at: 200) == 30)
    #expect(members.expire(at: 230) == "a")
    #expect(members.expire(at: 300) == nil && members.count == nil)
  }

  @Test("Another person begins with nothing") func strangers() {
    var members = CountMembers()
    _ = members.join(1, wanted: nil, new: "a")
    _ = members.lose(1, at: 100)
    #expect(members.join(2, wanted: nil, new: "b") == ("a", true))
    #expect(members.count == "b")
    // A count that is over cannot be gone on with.
    #expect(members.join(3, wanted: "a", new: "c") == (nil, false))
    #expect(members.count == "b")
    #expect(members.finish() == "b" && members.count == nil && !members.contains(2))
  }
}
