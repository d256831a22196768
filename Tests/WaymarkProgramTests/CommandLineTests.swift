import ArgumentParser
import Synchronization
import Testing
import WaymarkBarcodes
import WaymarkImage

@testable import waymark

/// What commands do with their words, and how they end.
struct CommandLineTests {
  @Test(
    arguments: [
      (["-hq"], nil), (["-qh"], nil), (["-dash.png"], "-dash.png"), (["scan", "-qx", "-dash.png"], "-qx"),
      (["-j4"], nil), (["-ofile"], nil), (["-pA.B"], nil), (["-fpage.png"], nil), (["-4.5"], nil), (["-.5"], nil),
      (["--long"], nil), (["-x"], nil), (["-"], nil), (["--", "-dash.png"], nil), (["-dash.png", "--"], "-dash.png"),
      ([], nil),
    ] as [([String], String?)]) func wordsThatAreNoFlagsAreFound(words: [String], misread: String?)
  {
    #expect(ShortOptions.misread(in: words) == misread)
  }

  /// When several apply the worst wins, in the order of the manual.
  @Test func theWorstEndWins() {
    let order: [Int32] = [0, 1, 2, 69, 65, 74, 66, 77, 64, 70]
    let sorted = ExitStatus.allCases.sorted()
    #expect(sorted.map(\.rawValue) == order)
    for (index, status) in sorted.enumerated() {
      #expect(!(status < status))
      for worse in sorted[(index + 1)...] { #expect(status < worse && max(status, worse) == worse) }
    }
  }

  @Test func passesAreNamed() throws {
    #expect(try PassList("base").passes == [.base])
    #expect(try PassList("modules,strip,turned45").passes == [.modules, .strip, .turned45])
    #expect(throws: ValidationError.self) { try PassList("base,wave") }
  }

  /// Results come in the list's order, each once, whichever is ready first.
  @Test(arguments: [1, 3, 40]) func resultsComeInOrder(jobs: Int) {
    let threads = Mutex(0)
    var results: [Int] = []
    OrderedTasks.run(
      Array(0..<25), jobs: jobs,
      worker: {
        threads.withLock { $0 += 1 }
        return { item in
          // The later ones are done first.
          for _ in 0..<(25 - item) * 200 { _ = threads.withLock { $0 } }
          return item * item
        }
      },
      deliver: {
        results.append($0)
        return true
      })
    #expect(results == (0..<25).map { $0 * $0 })
    #expect((1...min(jobs, 25)).contains(threads.withLock { $0 }))
  }

  @Test func nothingIsDeliveredAfterTheEnd() {
    var results: [Int] = []
    OrderedTasks.run(
      Array(0..<100), jobs: 2, worker: { { $0 } },
      deliver: {
        results.append($0)
        return $0 < 4
      })
    #expect(results == [0, 1, 2, 3, 4])
    OrderedTasks.run(
      [Int](), jobs: 2, worker: { { $0 } },
      deliver: {
        results.append($0)
        return true
      })
    #expect(results.count == 5)
  }

  @Test func percentilesAreOfTheSortedTimes() {
    var times = WorkerMeasurement.Times()
    times.seconds = (1...100).reversed().map { Double($0) / 1000 }
    #expect(abs(times.percentile(0) - 1) < 1e-9)
    #expect(abs(times.percentile(0.5) - 51) < 1e-9)
    #expect(abs(times.percentile(0.99) - 100) < 1e-9)
    #expect(abs(times.percentile(1) - 100) < 1e-9)
    times.seconds = [0.25]
    #expect(times.percentile(0.99) == 250)
  }

  /// The place holder has the finder patterns of a QR code of version 1 (ISO/IEC 18004, 6.3.3) at three corners, and nothing else.
  @Test func aSketchedCodeHasThreeFinders() {
    let picture = CodeSketch.draw()
    #expect((picture.width, picture.height) == (420, 420))
    let finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"].map {
      $0.map { $0 == "1" }
    }
    for y in 0..<21 {
      for x in 0..<21 {
        let (left, top) = (x < 7, y < 7)
        let (right, bottom) = (x >= 14, y >= 14)
        var dark = false
        if (left || right) && top { dark = finder[y][left ? x : x - 14] }
        if left && bottom { dark = finder[y - 14][x] }
        for (dx, dy) in [(0, 0), (19, 0), (0, 19), (19, 19)] {
          #expect(picture[20 * x + dx, 20 * y + dy].red == (dark ? 90 : 235), "\(x) \(y)")
        }
      }
    }
  }
}
