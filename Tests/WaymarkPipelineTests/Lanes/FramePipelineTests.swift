import Testing
import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkService

/// A source whose frames come when the test says.
private final class ManualSource: FrameSource {
  struct State: Sendable {
    var sink: (any FrameSink)?
    var demands: [FrameDemand] = []
    var starts = 0
    var stops = 0
    var sequence: UInt64 = 0
  }

  let device = "manual"
  let origin = FrameOrigin.camera
  let state = Monitor(State())
  var statistics: SourceStatistics { SourceStatistics() }

  func start(_ sink: any FrameSink) {
    state.update { state in
      state.sink = sink
      state.starts += 1
    }
  }

  func stop() {
    state.update { state in
      state.sink = nil
      state.stops += 1
    }
  }

  func demand(_ demand: FrameDemand) { state.update { $0.demands.append(demand) } }

  func send(_ image: GrayImage = GrayImage(width: 2, height: 2, value: 7), at time: Double = 0) {
    let (sink, sequence) = state.withLock { state in
      state.sequence += 1
      return (state.sink, state.sequence)
    }
    sink?.receive(Frame(origin: .camera, sequence: sequence, captured: time, image: image))
  }

  func wait(_ condition: @Sendable (State) -> Bool) -> Bool {
    state.wait(until: MonotonicClock.now + 60) { condition($0) ? true : nil } ?? false
  }
}

struct FramePipelineTests {
  /// A lane whose work waits until the test lets it go on.
  private final class Gate: Sendable {
    let state = Monitor((begun: 0, allowed: 0, delivered: [UInt64]()))

    func lane(_ name: String) -> Lane<Int, UInt64> {
      let lane = Lane(
        name: name, settings: 0,
        makeWork: { [state] in
          { frame, _ in
            let turn = state.update { state in
              state.begun += 1
              return state.begun
            }
            _ = state.wait { $0.allowed >= turn ? true : nil }
            return frame.sequence
          }
        },
        deliver: { [state] sequence, _ in state.update { $0.delivered.append(sequence) } })
      lane.setEnabled(true)
      return lane
    }

    func allow(_ number: Int) { state.update { $0.allowed = number } }

    func wait(_ condition: @Sendable ((begun: Int, allowed: Int, delivered: [UInt64])) -> Bool) -> Bool {
      state.wait(until: MonotonicClock.now + 60) { condition($0) ? true : nil } ?? false
    }
  }

  @Test func givesABusyLaneTheNewestFrameAndCountsTheRest() throws {
    let source = ManualSource()
    let pipeline = FramePipeline(source: source)
    let (slow, fast) = (Gate(), Gate())
    fast.allow(1000)
    let (slowLane, fastLane) = (slow.lane("slow"), fast.lane("fast"))
    pipeline.add(slowLane)
    pipeline.add(fastLane)
    pipeline.start()
    #expect(source.wait { $0.sink != nil })
    source.send()
    #expect(slow.wait { $0.begun == 1 })
    #expect(fast.wait { $0.delivered == [1] })
    for number in 2...10 {
      source.send()
      // Not held up by its slow neighbour.
      #expect(fast.wait { $0.delivered.last == UInt64(number) })
    }
    #expect(pipeline.hungLanes(limit: -1).contains("slow"))
    #expect(pipeline.hungLanes(limit: 3600).isEmpty)
    slow.allow(1000)
    #expect(slow.wait { $0.delivered == [1, 10] })
    pipeline.stop()
    let lanes = pipeline.statistics.lanes
    #expect(lanes.map(\.name) == ["slow", "fast"])
    #expect(lanes[0].skipped == 8)
    #expect(lanes[0].frames == 2)
    #expect(lanes[1].skipped == 0)
    #expect(lanes[1].p99 > 0)
    #expect(pipeline.statistics.frames.captured == 10)
  }

  @Test func opensAndClosesTheSourceWithTheNeed() {
    let source = ManualSource()
    let pipeline = FramePipeline(source: source, need: SourceNeed(idleTime: 0))
    let gate = Gate()
    let lane = gate.lane("one")
    lane.setEnabled(false)
    pipeline.add(lane)
    pipeline.start()
    lane.setEnabled(true)
    #expect(source.wait { $0.starts == 1 })
    lane.setEnabled(false)
    #expect(source.wait { $0.stops == 1 })
    lane.setEnabled(true)
    #expect(source.wait { $0.starts == 2 })
    #expect(source.wait { $0.demands.last == FrameDemand(luma: true) })
    pipeline.stop()
    #expect(source.wait { $0.stops == 2 })
  }

  @Test func wantsNoMoreThanTheFastestLane() {
    let source = ManualSource()
    let pipeline = FramePipeline(source: source)
    let (first, second) = (Gate().lane("first"), Gate().lane("second"))
    first.setMaximumRate(5)
    second.setMaximumRate(12)
    pipeline.add(first)
    pipeline.add(second)
    pipeline.start()
    #expect(source.wait { $0.demands.last?.maximumRate == 12 })
    second.setMaximumRate(nil)
    #expect(source.wait { $0.demands.last.map { $0.maximumRate == nil } ?? false })
    pipeline.stop()
  }

  @Test func keepsCountingWhenTheSourceChanges() {
    let (first, second) = (ManualSource(), ManualSource())
    let pipeline = FramePipeline(source: first)
    let gate = Gate()
    gate.allow(1000)
    pipeline.add(gate.lane("one"))
    pipeline.start()
    #expect(first.wait { $0.sink != nil })
    first.send()
    #expect(gate.wait { $0.delivered == [1] })
    pipeline.select(second)
    #expect(second.wait { $0.sink != nil })
    #expect(first.wait { $0.stops == 1 })
    second.send()
    #expect(gate.wait { $0.delivered == [1, 2] })
    pipeline.stop()
  }

  @Test func readsCodesWithTheSettingsOfTheMoment() throws {
    let source = ManualSource()
    let pipeline = FramePipeline(source: source)
    let seen = Monitor([ScanReading]())
    let lane = BarcodeLane.barcodes { reading, _ in seen.update { $0.append(reading) } }
    lane.setEnabled(true)
    pipeline.add(lane)
    pipeline.start()
    #expect(source.wait { $0.sink != nil })
    source.send(GrayImage(width: 64, height: 64, value: 255))
    #expect(seen.wait(until: MonotonicClock.now + 60) { $0.isEmpty ? nil : $0[0].symbols.isEmpty } == true)
    pipeline.stop()
  }

  @Test func showsPicturesOnlyToAViewer() throws {
    let source = ManualSource()
    let pipeline = FramePipeline(source: source)
    let tap = MediaTap()
    pipeline.add(tap.lane)
    pipeline.start()
    let seen = Monitor([MediaPicture]())
    let watch = tap.watch(width: 16) { picture in seen.update { $0.append(picture) } }
    #expect(source.wait { $0.sink != nil && $0.demands.last == FrameDemand(luma: false, encoded: true) })
    let image = GrayImage(width: 64, height: 32, value: 90)
    source.send(image, at: 1)
    #expect(seen.wait(until: MonotonicClock.now + 60) { $0.count == 1 ? true : nil } == true)
    let picture = try #require(seen.withLock { $0.first })
    #expect((picture.width, picture.height, picture.frame.width) == (16, 8, 64))
    #expect(try PictureDecoder().gray(picture.bytes).image.width == 16)
    // The next one comes only when it is asked for.
    watch.ready()
    source.send(image, at: 2)
    #expect(seen.wait(until: MonotonicClock.now + 60) { $0.count == 2 ? true : nil } == true)
    watch.cancel()
    #expect(tap.count == 0)
    #expect(source.wait { $0.demands.last?.isEmpty == true })
    pipeline.stop()
  }
}

/// Small pictures of Motion JPEG for previews, decoded in another process.
struct DistantPreviewTests {
  /// Remembers what it was asked and answers with a text.
  private final class Decoder: FrameDecoder {
    var orders: [DecodeRequest] = []

    func prepare() {}

    func gray(
      _ picture: UnsafeRawBufferPointer, _ order: DecodeRequest, stop: StopSignal?, use: (ImageView) -> Void
    ) -> DecodeOutcome { .lost }

    func preview(
      _ picture: UnsafeRawBufferPointer, _ order: DecodeRequest, orientation: Orientation, quality: Int
    ) -> [UInt8]? {
      orders.append(order)
      return order.width == 80 ? nil : Array("made elsewhere".utf8)
    }
  }

  private func frame(_ file: [UInt8], width: Int, height: Int) -> Frame {
    let buffer = PixelBuffer(capacity: file.count)
    buffer.bytes.update(from: file, count: file.count)
    let layout = PixelLayout(format: .mjpeg, width: width, height: height)
    let encoded = EncodedPicture(
      layout: layout, transform: FrameTransform(rotation: .quarter), count: file.count, buffer: buffer)
    return Frame(origin: .camera, sequence: 1, captured: 1, encoded: encoded)
  }

  private func file(_ width: Int, _ height: Int) throws -> [UInt8] {
    try JPEGEncoder.encode(GrayImage(width: width, height: height, value: 70))
  }

  @Test func isMadeByWhoIsThereForIt() throws {
    let decoder = Decoder()
    var encoder = MediaEncoder(outOfProcess: decoder)
    let small = try #require(encoder.encode(frame(try file(160, 120), width: 160, height: 120), wanted: 30))
    #expect(small.bytes == Array("made elsewhere".utf8))
    #expect((small.width, small.height) == (30, 40))
    #expect(decoder.orders == [DecodeRequest(width: 160, height: 120, scale: .quarter)])
    // As large as it was captured it passes through undecoded.
    let whole = try #require(encoder.encode(frame(try file(160, 120), width: 160, height: 120), wanted: nil))
    #expect((whole.width, whole.height) == (120, 160))
    #expect(decoder.orders.count == 1)
    // A picture that could not be made is not handed out; one larger than agreed is not even tried.
    #expect(encoder.encode(frame(try file(80, 60), width: 80, height: 60), wanted: 20) == nil)
    #expect(encoder.encode(frame(try file(640, 480), width: 160, height: 120), wanted: 30) == nil)
    #expect(decoder.orders.count == 2)
  }

  @Test func isTheSameMadeHere() throws {
    var encoder = MediaEncoder()
    let small = try #require(encoder.encode(frame(try file(160, 120), width: 160, height: 120), wanted: 30))
    let picture = try PictureDecoder().gray(small.bytes).image
    #expect((picture.width, picture.height, picture[5, 5]) == (30, 40, 70))
    #expect(encoder.encode(frame(try file(640, 480), width: 160, height: 120), wanted: 30) == nil)
  }
}

struct SourceNeedTests {
  @Test func closesTenSecondsAfterTheLastNeed() {
    var need = SourceNeed()
    #expect(need.update(false, at: 0) == nil)
    #expect(need.update(true, at: 1) == .open)
    #expect(need.update(true, at: 2) == nil)
    #expect(need.update(false, at: 5) == nil)
    #expect(need.deadline == 15)
    // Asked again meanwhile, the time does not start over.
    #expect(need.update(false, at: 9) == nil)
    #expect(need.update(false, at: 14.9) == nil)
    #expect(need.update(false, at: 15) == .close)
    #expect(need.update(true, at: 16) == .open)
  }

  @Test func staysOpenWhenNeededAgainInTime() {
    var need = SourceNeed()
    _ = need.update(true, at: 0)
    _ = need.update(false, at: 1)
    #expect(need.update(true, at: 10) == nil)
    #expect(need.update(true, at: 100) == nil)
    #expect(need.isOpen)
  }

  @Test func isNeverClosedWhenItShallStayOpen() {
    var need = SourceNeed(keepsOpen: true)
    #expect(need.update(false, at: 0) == .open)
    _ = need.update(true, at: 1)
    #expect(need.update(false, at: 2) == nil)
    #expect(need.deadline == nil)
  }
}

struct LaneStageTests {
  @Test func aLaneReportsTheTimeOfItsStages() throws {
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
    let stages = lane.statistics.stages ?? []
    let byName = Dictionary(uniqueKeysWithValues: stages.map { ($0.name, $0) })
    for name in ["wait", "probe", "modules", "strips", "deliver", "total"] { #expect(byName[name] != nil, "\(name)") }
    // It was captured two seconds before the lane got it.
    #expect((byName["wait"]?.p99 ?? 0) >= 2)
    #expect((byName["total"]?.p99 ?? 0) >= (byName["wait"]?.p99 ?? 9))
  }
}
