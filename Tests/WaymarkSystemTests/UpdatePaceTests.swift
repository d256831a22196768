import Testing
import WaymarkSystem

@Suite struct UpdatePaceTests {
  @Test("Changes are told at once, then once an interval") func pace() {
    var pace = UpdatePace(interval: 0.25)
    #expect(pace.change(at: 10) == 0)
    pace.tell(at: 10)
    #expect(pace.change(at: 10.0625) == 0.1875)
    #expect(pace.change(at: 10.125) == nil)
    pace.tell(at: 10.25)
    #expect(pace.change(at: 10.75) == 0)
  }
}
