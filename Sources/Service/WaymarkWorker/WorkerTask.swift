package import WaymarkImage

/// Work on a picture file that a program has done in its workers, beside what every worker does.
package protocol WorkerTask: WireValue, Sendable {
  associatedtype Answer: WireValue, Sendable

  /// Does it, where the file is decoded.
  ///
  /// - Parameter file: the bytes of a picture file.
  func result(_ file: UnsafeRawBufferPointer) throws(ImageError) -> Answer
}

extension WorkerTask {
  /// Does the task that was sent; nil where the bytes are not one.
  static func answer(_ bytes: [UInt8], _ file: UnsafeRawBufferPointer) throws(ImageError) -> [UInt8]? {
    guard let task = try? Self(wireBytes: bytes) else { return nil }
    return try task.result(file).wireBytes
  }
}

extension WorkerProcess {
  /// Has the program's own task done on a file, as `ask` does.
  package func ask<Task: WorkerTask>(
    _ task: Task, on file: [UInt8], byteLimit: Int, limit: Double
  ) throws(WorkerFailure) -> Result<Task.Answer, ImageError> {
    guard file.count <= WorkerArena.inputLimit else { throw .tooLarge }
    arena.input.copyBytes(from: file)
    return try ask(
      WorkerRequest.task(size: file.count, task.wireBytes), for: Task.Answer.self, byteLimit: byteLimit, limit: limit)
  }
}
