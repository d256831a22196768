import ArgumentParser
import WaymarkWorker

/// `waymark worker`: the process in which the service reads codes and pictures; run by hand only to measure it.
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: WorkerMain.argument,
    abstract: "Read codes and pictures for a service, in a sandbox.",
    shouldDisplay: false)

  @Option(help: "Measure what it costs to read this folder's pictures in a worker instead of a thread.")
  var measure: String?

  @Option(help: "How often each picture is read.")
  var rounds = 20

  @Flag(help: "Measure the decoding of Motion JPEG frames (JPEG files in the folder) instead of the reading of codes.")
  var decoding = false

  func run() throws {
    if let measure {
      let measurement = WorkerMeasurement(folder: measure, rounds: max(1, rounds))
      try decoding ? measurement.runDecoding() : measurement.run()
      return
    }
    // Without options it is `Start` that runs a worker.
    throw CleanExit.helpRequest(self)
  }
}
