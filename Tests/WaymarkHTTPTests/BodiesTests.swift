import Testing
import WaymarkSystem

@testable import WaymarkHTTP

@Suite("What clients share")
struct RoomTests {
  private let operators = ["a", "b", "c"].map { Room.Holder(name: $0, isOperator: true) }
  private let observers = ["x", "y", "z"].map { Room.Holder(name: $0, isOperator: false) }

  private func taken(_ room: Room, _ count: Int, for holder: Room.Holder) -> [Room.Place] {
    (0..<count).compactMap { _ in room.take(for: holder) }
  }

  @Test("A holder has its share and no more")
  func share() {
    let room = Room("places", total: 10, share: 4)
    let (first, second) = (taken(room, 9, for: operators[0]), taken(room, 9, for: operators[1]))
    #expect([first.count, second.count] == [4, 4])
    let third = taken(room, 9, for: operators[2])
    #expect(third.count == 2)
    first[0].release()
    let again = taken(room, 9, for: operators[0])
    #expect(again.count == 1)
    withExtendedLifetime((first, second, third, again)) {}
  }

  @Test("Figures count what is taken and what was refused, also after a wait")
  func figures() async throws {
    let room = Room("places", total: 2, waiting: 1)
    let places = taken(room, 5, for: operators[0])
    #expect(await room.take(1, for: operators[1], within: .milliseconds(1)) == nil)
    #expect(room.figures == (2, 2, 4))
    let waiting = Task { await room.take(1, for: operators[1], within: .seconds(60)) }
    places[0].release()
    let granted = await waiting.value
    #expect(granted != nil)
    #expect(room.figures == (2, 2, 4))
    let server = ServerFigures(reasons: ["noToken"], rooms: [room])
    server.countRefusal("noToken")
    server.countRefusal("foreignHost")
    var text = MetricsText(prefix: "x_")
    server.write(to: &text)
    for line in [
      "x_connections 0", "x_requests_refused_total{reason=\"noToken\"} 1",
      "x_requests_refused_total{reason=\"foreignHost\"} 1", "x_room_refused_total{of=\"places\"} 4",
      "x_room_limit{of=\"places\"} 2", "x_room_limit{of=\"connections\"} 0",
    ] {
      #expect(text.lines.contains(line), "\(line)")
    }
    withExtendedLifetime((places, granted)) {}
  }

  @Test("Observers, however many, leave the reserve to operators")
  func reserve() {
    let room = Room("places", total: 10, share: 6, reserve: 3)
    let places = observers.flatMap { taken(room, 9, for: $0) }
    #expect(places.count == 7)
    let own = taken(room, 9, for: operators[0])
    #expect(own.count == 3)
    withExtendedLifetime((places, own)) {}
  }

  @Test("Operators take from the reserve first: what they have takes nothing from observers while there is room")
  func both() {
    let room = Room("places", total: 10, share: 6, reserve: 3)
    let own = taken(room, 3, for: operators[0])
    let places = observers.flatMap { taken(room, 9, for: $0) }
    #expect(places.count == 7)
    withExtendedLifetime((places, own)) {}
  }

  @Test("A dropped place is free again")
  func dropped() {
    let room = Room("places", total: 1)
    var place = room.take()
    #expect(place != nil)
    #expect(room.take() == nil)
    place = nil
    #expect(room.take() != nil)
  }

  @Test("A place is given back once")
  func once() throws {
    let room = Room("places", total: 2)
    let (first, second) = (try #require(room.take()), try #require(room.take()))
    first.release()
    first.release()
    let third = room.take()
    #expect(third != nil)
    #expect(room.take() == nil)
    withExtendedLifetime((first, second, third)) {}
  }

  @Test("More than the share counts as the share, and nothing as nothing")
  func sizes() {
    let room = Room("bytes", total: 100, share: 60)
    let large = room.take(1000, for: operators[0])
    #expect(large != nil && room.take(41, for: operators[1]) == nil)
    let (small, empty) = (room.take(40, for: operators[1]), room.take(0, for: operators[1]))
    #expect(small != nil && empty != nil && room.take(1, for: operators[2]) == nil)
    empty?.release()
    large?.shrink(to: 10)
    #expect(room.take(50, for: operators[2]) != nil)
    withExtendedLifetime((large, small)) {}
  }

  @Test("Waiting requests get room that is given back: the holder with the least first, those of one in order")
  func waiting() async throws {
    let room = Room("bytes", total: 100, share: 90, waiting: 2)
    let (first, second) = (
      try #require(room.take(50, for: operators[0])), try #require(room.take(40, for: operators[1]))
    )
    let order = await withTaskGroup(of: (Int, Room.Place?).self) { group in
      group.addTask { (0, await room.take(40, for: self.operators[0], within: .seconds(60))) }
      group.addTask { (1, await room.take(30, for: self.operators[2], within: .seconds(60))) }
      // Both wait once a third place of the first holder is refused to one who does not wait.
      while room.take(10, for: operators[0]) != nil || room.take(10, for: operators[2]) != nil { await Task.yield() }
      second.release()
      var places: [Room.Place?] = []
      var order: [Int] = []
      for await (number, place) in group {
        order.append(number)
        places.append(place)
        if order.count == 1 { first.release() }
      }
      #expect(places.allSatisfy { $0 != nil })
      return order
    }
    #expect(order == [1, 0])
  }

  @Test("Requests of one holder that wait are bounded, end with their task, and block no other holder")
  func bounds() async throws {
    let room = Room("bytes", total: 100, share: 60, waiting: 1)
    let place = try #require(room.take(60, for: operators[0]))
    let waiting = Task { await room.take(10, for: operators[0], within: .seconds(60)) }
    // The share is taken: the second one waits behind the first, or is refused at once.
    while await room.take(10, for: operators[0], within: .milliseconds(1)) != nil {}
    #expect(room.take(40, for: operators[1]) != nil)
    waiting.cancel()
    #expect(await waiting.value == nil)
    place.release()
    #expect(room.take(60, for: operators[0]) != nil)
    #expect(await room.take(10, for: operators[0], within: .milliseconds(1)) != nil)
  }

  @Test("After a while nothing waits any more")
  func timeout() async throws {
    let room = Room("bytes", total: 10, waiting: 4)
    let place = try #require(room.take(10))
    #expect(await room.take(1, within: .milliseconds(1)) == nil)
    place.release()
    #expect(room.take(10) != nil)
  }

  @Test("However places come and go, no bound is passed, and all come back")
  func walk() {
    let room = Room("places", total: 20, share: 8, reserve: 5)
    var generator = SplitMix(state: 3)
    var held: [(holder: Room.Holder, amount: Int, place: Room.Place)] = []
    for _ in 0..<20_000 {
      if Bool.random(using: &generator), let index = held.indices.randomElement(using: &generator) {
        held.remove(at: index).place.release()
      } else {
        let holder = (operators + observers).randomElement(using: &generator)!
        let amount = Int.random(in: 1...8, using: &generator)
        let own = held.reduce(0) { $1.holder == holder ? $0 + $1.amount : $0 }
        let all = held.reduce(0) { $0 + $1.amount }
        let watched = held.reduce(0) { $1.holder.isOperator ? $0 : $0 + $1.amount }
        let fits = own + amount <= 8 && all + amount <= 20 && (holder.isOperator || watched + amount <= 15)
        let place = room.take(amount, for: holder)
        #expect((place != nil) == fits)
        if let place { held.append((holder, amount, place)) }
      }
    }
    held = []
    #expect(operators.prefix(2).allSatisfy { room.take(8, for: $0) != nil })
  }
}

@Suite("How fast a body comes")
struct BodyRateTests {
  @Test(
    "The first seconds are free, then the average counts",
    arguments: [
      (0, 5.0, false), (0, 5.1, true), (1, 6, true), (16_384, 6, false), (16_383, 6, true), (60_000, 8, false),
      (32_768, 8, true),
    ])
  func rate(bytes: Int, seconds: Double, isTooSlow: Bool) {
    #expect(BodyCollector.isTooSlow(bytes, after: seconds, rate: 16_384) == isTooSlow)
    #expect(!BodyCollector.isTooSlow(bytes, after: seconds, rate: 0))
  }
}
