import Testing
import WaymarkSystem

@Suite struct DayTimeTests {
  @Test(arguments: [
    ("08:00-17:30", 480, 1050), ("22:00-06:00", 1320, 360), ("00:00-24:00", 0, 1440), ("23:59-00:00", 1439, 0),
  ])
  func timesAreRead(_ text: String, _ start: Int, _ end: Int) {
    #expect(DayTime(text) == DayTime(start: start, end: end))
    #expect(DayTime(text)?.text == text)
  }

  @Test(arguments: ["8:00-17:00", "08:00", "24:00-25:00", "08:60-09:00", "08:00-08:00", "24:00-08:00", "08:00-17:00 "])
  func otherTimesAreNot(_ text: String) { #expect(DayTime(text) == nil) }
}
