import Foundation
import Synchronization
import Testing
import WaymarkImage

@testable import WaymarkStation
@testable import WaymarkWorker

/// Looks at the colours of live frames by real workers.
struct PageWorkerTests {
  private typealias Journal = IsolationTests.Journal

  private static let outline = Quadrilateral(
    topLeft: Point2(100, 60), topRight: Point2(380, 60), bottomRight: Point2(380, 320), bottomLeft: Point2(100, 320))

  /// White paper on yellow of the same brightness.
  private static func picture() throws -> [UInt8] {
    try JPEGEncoder.encode(
      RGBImage(width: 480, height: 360) { out in
        for y in 0..<360 {
          for x in 0..<480 {
            let isPage = (100..<380).contains(x) && (60..<320).contains(y)
            let color: [UInt8] = isPage ? [225, 225, 225] : [240, 228, 120]
            for c in 0..<3 { out[3 * (y * 480 + x) + c] = color[c] }
          }
        }
      }, quality: 92)
  }

  private static func isRight(_ place: PageLocation?) -> Bool {
    guard let place else { return false }
    return zip(place.outline.corners, outline.corners).allSatisfy { $0.distance(to: $1) < 5 }
  }

  @Test func oneWorkerLooksAsOftenAsIsWanted() throws {
    let journal = Journal()
    let isolation = IsolationTests.isolation(journal)
    let desk = isolation.pageWorker()
    let file = try Self.picture()
    #expect(desk.process == nil)
    for look in 0..<8 {
      #expect(Self.isRight(desk.place(file, near: look % 2 == 0 ? nil : Self.outline, now: Double(look))))
    }
    #expect(isolation.figures?.starts == 1)
    // A file that cannot be decoded shows no page, and costs no worker.
    #expect(desk.place(Array(file.prefix(40)), near: nil, now: 8) == nil)
    #expect(Self.isRight(desk.place(file, near: nil, now: 9)))
    #expect(isolation.figures?.starts == 1)
    #expect(journal.failures.withLock { $0 } == [])
  }

  @Test func aPageThatIsCapturedIsReportedWithThoseBesideIt() throws {
    let pages: [(x: Range<Int>, y: Range<Int>)] = [(40..<300, 60..<420), (360..<600, 80..<420)]
    let file = try JPEGEncoder.encode(
      RGBImage(width: 640, height: 480) { out in
        for y in 0..<480 {
          for x in 0..<640 {
            let isPage = pages.contains { $0.x.contains(x) && $0.y.contains(y) }
            for c in 0..<3 { out[3 * (y * 640 + x) + c] = isPage ? 230 : UInt8(60 + 10 * c) }
          }
        }
      }, quality: 92)
    let desk = IsolationTests.isolation(Journal()).pageWorker()
    let place = try #require(desk.settle(file, near: nil, now: 0))
    let other = try #require(place.others.first)
    #expect(place.others.count == 1)
    #expect(abs(place.outline.center.x - other.center.x) > 250)
    // A look at a frame does not take that long.
    #expect(desk.place(file, near: nil, now: 1)?.others == [])
    #expect(desk.settle(try Self.picture(), near: Self.outline, now: 2)?.others == [])
  }

  @Test func aWorkerThatIsKilledCostsOneLook() throws {
    let journal = Journal()
    let isolation = IsolationTests.isolation(journal)
    let desk = isolation.pageWorker()
    let file = try Self.picture()
    #expect(Self.isRight(desk.place(file, near: nil, now: 1)))
    kill(try #require(desk.process), SIGKILL)
    #expect(desk.place(file, near: nil, now: 2) == nil)
    #expect(journal.failures.withLock { $0 } == [.crashed(signal: SIGKILL)])
    #expect(Self.isRight(desk.place(file, near: nil, now: 3)))
    #expect(isolation.figures?.starts == 2)
  }

  @Test func anUnneededWorkerEnds() throws {
    let isolation = IsolationTests.isolation(Journal())
    let desk = isolation.pageWorker()
    let file = try Self.picture()
    #expect(desk.rest(now: 0) == nil)
    #expect(Self.isRight(desk.place(file, near: nil, now: 100)))
    let process = try #require(desk.process)
    #expect(desk.rest(now: 102) == PageWorker.idleTime - 2)
    #expect(desk.rest(now: 100 + PageWorker.idleTime) == nil)
    #expect(desk.process == nil)
    #expect(kill(process, 0) != 0 && errno == ESRCH)
    #expect(Self.isRight(desk.place(file, near: nil, now: 200)))
  }

  @Test func withoutWorkersThisProcessLooks() throws {
    #expect(Self.isRight(Isolation.none.pageWorker().place(try Self.picture(), near: nil, now: 0)))
  }
}
