import Testing
import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage
import WaymarkService
import WaymarkSystem

struct LaneStageTests {
  @Test func aLaneTellsWhereTheTimeWent() throws {
    let delivered = Monitor(0)
    let lane = Lane.barcodes(configuration: .live()) { _, _ in delivered.update { $0 += 1 } }
    defer { lane.stop() }
    lane.setEnabled(true)
    let captured = MonotonicClock.now - 2
    lane.offer(
      Frame(origin: .camera, sequence: 1, captured: captured, image: GrayImage(width: 64, height: 64, value: 200)))
    #expect(delivered.wait(until: MonotonicClock.now + 60) { $0 == 1 ? true : nil } == true)
    // The times are noted after the delivery, on the lane's thread: a second frame shows that the first is through.
    lane.offer(
      Frame(
        origin: .camera, sequence: 2, captured: MonotonicClock.now, image: GrayImage(width: 64, height: 64, value: 200))
    )
    #expect(delivered.wait(until: MonotonicClock.now + 60) { $0 == 2 ? true : nil } == true)
    let stages = lane.statistics.stages
    let byName = Dictionary(uniqueKeysWithValues: stages.map { ($0.name, $0) })
    for name in ["wait", "probe", "modules", "strips", "deliver", "total"] { #expect(byName[name] != nil, "\(name)") }
    // It was captured two seconds before the lane got it.
    #expect((byName["wait"]?.percentile99 ?? 0) >= 2)
    #expect((byName["total"]?.percentile99 ?? 0) >= (byName["wait"]?.percentile99 ?? 9))
  }
}
