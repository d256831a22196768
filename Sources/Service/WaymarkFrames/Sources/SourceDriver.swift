import Synchronization
package import WaymarkImage
package import WaymarkSystem

/// The work of a source's thread: performs the effects of a `SourceMachine`, and passes the results to the machine as inputs.
package protocol SourceDriver: ~Copyable {
  var machine: SourceMachine { get set }
  var state: SourceState { get }
  var sink: any FrameSink { get }

  /// Returns the time in seconds of a monotonic clock.
  func now() -> Double
  /// Waits while the source is not open.
  ///
  /// - Parameter seconds: the time to wait; nil to wait until `stop` is raised.
  func rest(seconds: Double?, until stop: StopSignal)
  mutating func open() throws(SourceFault) -> SourceMachine.Opening
  /// Closes the source and releases all resources.
  mutating func close()
  /// Waits for data of the source and passes the resulting input to the machine.
  ///
  /// - Parameter seconds: the maximum time to wait; nil for no limit.
  mutating func step(seconds: Double?, until stop: StopSignal)
}

extension SourceDriver where Self: ~Copyable {
  package func now() -> Double { MonotonicClock.now }
  package func rest(seconds: Double?, until stop: StopSignal) { _ = stop.wait(seconds: seconds) }

  /// Runs the source until it is stopped or ends.
  package mutating func run(until stop: StopSignal) {
    handle(.start)
    while machine.phase != .closed {
      if stop.isRaised {
        handle(.stop)
        return
      }
      let (time, deadline) = (now(), machine.deadline)
      if let deadline, time >= deadline {
        handle(.time)
        continue
      }
      let seconds = deadline.map { $0 - time }
      if machine.phase == .waiting {
        rest(seconds: seconds, until: stop)
      } else {
        step(seconds: seconds, until: stop)
      }
    }
  }

  /// Passes an input to the machine and performs the effects.
  package mutating func handle(_ input: SourceMachine.Input) {
    let losses = machine.losses
    var inputs = [input]
    while !inputs.isEmpty {
      for effect in machine.handle(inputs.removeFirst(), at: now()) {
        switch effect {
        case .close: close()
        case .report(let status): sink.receive(status)
        case .open:
          do throws(SourceFault) {
            inputs.append(.opened(try open()))
            state.count(\.opened)
          } catch {
            inputs.append(.fault(error))
          }
        }
      }
    }
    if machine.losses > losses { state.count(\.lost, machine.losses - losses) }
  }
}

/// The state that a source's thread shares with its owner.
package final class SourceState: Sendable {
  private struct Values: Sendable {
    var demand = FrameDemand()
    var statistics = SourceStatistics()
    var sequence: UInt64 = 0
  }

  private let values = Mutex(Values())
  /// The times of the stages from the capture of a frame to its delivery.
  package let stages = StageTimes()

  package init() {}

  package var demand: FrameDemand {
    get { values.withLock { $0.demand } }
    set { values.withLock { $0.demand = newValue } }
  }

  package var statistics: SourceStatistics { values.withLock { $0.statistics } }

  package func count(_ key: any WritableKeyPath<SourceStatistics, UInt64> & Sendable, _ number: UInt64 = 1) {
    values.withLock { $0.statistics[keyPath: key] += number }
  }

  /// Counts a delivered frame and returns its sequence number.
  package func nextSequence() -> UInt64 {
    values.withLock {
      $0.statistics.delivered += 1
      $0.sequence += 1
      return $0.sequence
    }
  }
}
