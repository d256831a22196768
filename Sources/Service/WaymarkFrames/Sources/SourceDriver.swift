package import WaymarkSystem

/// The work of a source's thread: carries out the orders of a `SourceMachine`, and reports their results.
package protocol SourceDriver: ~Copyable {
  var machine: SourceMachine { get set }
  /// The counts.
  var state: SourceState { get }
  /// The receiver of the frames.
  var sink: any FrameSink { get }

  /// Seconds of a steady clock.
  func now() -> Double
  /// Waits while nothing is open.
  ///
  /// - Parameter seconds: nil: until the end is asked for.
  func rest(seconds: Double?, until stop: StopSignal)
  /// Opens the source.
  mutating func open() throws(SourceFault) -> SourceMachine.Opening
  /// Gives everything back.
  mutating func close()
  /// Waits for what comes next, takes it and tells the machine.
  ///
  /// - Parameter seconds: how long to wait at most; nil: until something comes.
  mutating func step(seconds: Double?, until stop: StopSignal)
}

extension SourceDriver where Self: ~Copyable {
  package func now() -> Double { MonotonicClock.now }
  package func rest(seconds: Double?, until stop: StopSignal) { _ = stop.wait(seconds: seconds) }

  /// Runs from the source's start to its stop or its end.
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

  /// Tells the machine what happened, and does what it says.
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
