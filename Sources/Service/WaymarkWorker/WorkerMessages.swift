package import WaymarkBarcodes
package import WaymarkFrames
package import WaymarkImage
import WaymarkSystem

/// A request to a worker. Its picture is at the beginning of the arena. The file also has replies with pictures
/// (`GrayReply`, `PreparedPicture`), and `WorkerTask`, a task that a program adds.
enum WorkerRequest: Equatable {
  /// Reads the codes in a picture of gray pixels.
  case codes(width: Int, height: Int, ScanConfiguration)
  case codesInFile(size: Int, ScanConfiguration)
  /// Prepares a picture file for a client, with a maximum width in pixels; with `asJPEG` every file becomes a JPEG.
  case prepared(size: Int, width: Int?, asJPEG: Bool = false)
  /// Decodes a picture file to gray.
  case gray(size: Int)
  /// Decodes a Motion JPEG frame to gray.
  case frame(size: Int, DecodeRequest)
  /// Encodes a Motion JPEG frame as a smaller JPEG file.
  case preview(size: Int, DecodeRequest, Orientation, quality: Int)
  /// Runs an encoded `WorkerTask` on a picture file.
  case task(size: Int, [UInt8])
}

extension WorkerRequest: WireValue {
  private static let size: Wire<Int> = Wire<Int>.count(upTo: WorkerArena.inputLimit)
  private static let side: Wire<Int> = Wire<Int>.count(from: 1, upTo: WorkerArena.inputLimit)
  private static let width: Wire<Int?> = Wire<Int>.count(from: 1, upTo: PictureDecoder.defaultPixelLimit).optional

  private static let codesForm = WireForm<WorkerRequest>(
    inOrder(side, side, ScanConfiguration.wire).when { $0.0 * $0.1 <= WorkerArena.inputLimit },
    { .codes(width: $0.0, height: $0.1, $0.2) },
    { if case .codes(let width, let height, let configuration) = $0 { (width, height, configuration) } else { nil } })
  private static let codesInFileForm = WireForm<WorkerRequest>(
    inOrder(size, ScanConfiguration.wire), { .codesInFile(size: $0.0, $0.1) },
    { if case .codesInFile(let size, let configuration) = $0 { (size, configuration) } else { nil } })
  private static let preparedForm = WireForm<WorkerRequest>(
    inOrder(size, width, Wire<Bool>.flag), { .prepared(size: $0.0, width: $0.1, asJPEG: $0.2) },
    { if case .prepared(let size, let width, let asJPEG) = $0 { (size, width, asJPEG) } else { nil } })
  private static let grayForm = WireForm<WorkerRequest>(
    size, { .gray(size: $0) }, { if case .gray(let size) = $0 { size } else { nil } })
  private static let frameForm = WireForm<WorkerRequest>(
    inOrder(size, DecodeRequest.wire), { .frame(size: $0.0, $0.1) },
    { if case .frame(let size, let order) = $0 { (size, order) } else { nil } })
  private static let previewForm = WireForm<WorkerRequest>(
    inOrder(size, DecodeRequest.wire, Wire<Orientation>.choice, Wire<Int>.count(upTo: 100)),
    { .preview(size: $0.0, $0.1, $0.2, quality: $0.3) },
    { request in
      guard case .preview(let size, let order, let orientation, let quality) = request else { return nil }
      return (size, order, orientation, quality)
    })
  private static let taskForm = WireForm<WorkerRequest>(
    inOrder(size, Wire<[UInt8]>.raw(upTo: WorkerEndpoint.taskLimit)), { .task(size: $0.0, $0.1) },
    { if case .task(let size, let task) = $0 { (size, task) } else { nil } })

  package static let wire: Wire<WorkerRequest> = Wire<WorkerRequest>.forms(
    codesForm, codesInFileForm, preparedForm, grayForm, frameForm, previewForm, taskForm)
}

extension ScanConfiguration: WireValue {
  private static let fields = inOrder(
    Wire<Symbology>.set, Wire<Effort>.choice, Wire<ScanPass>.set, Wire<Bool>.flag)

  package static let wire: Wire<ScanConfiguration> = fields.map(
    { symbologies, effort, withheld, stopsAtFirst -> ScanConfiguration? in
      var configuration = ScanConfiguration(symbologies: Set(symbologies), effort: effort, withheld: Set(withheld))
      configuration.stopsAtFirst = stopsAtFirst
      return configuration
    },
    { configuration in
      let symbologies = Symbology.allCases.filter(configuration.symbologies.contains)
      let withheld = ScanPass.allCases.filter(configuration.withheld.contains)
      return (symbologies, configuration.effort, withheld, configuration.stopsAtFirst)
    })
}

extension DecodeRequest: WireValue {
  private static let side: Wire<Int> = Wire<Int>.count(from: 1, upTo: 65535)
  private static let scales: Wire<JPEGDecoder.Scale> = Wire<JPEGDecoder.Scale>.choice([.eighth, .quarter, .half, .full])

  package static let wire: Wire<DecodeRequest> = inOrder(side, side, scales)
    .map({ DecodeRequest(width: $0.0, height: $0.1, scale: $0.2) }, { ($0.width, $0.height, $0.scale) })
}

// MARK: - Answers

/// The header of a gray picture in the arena's output. The pixels follow at `headSize`, without padding between rows.
package struct GrayReply: Equatable {
  package let width: Int
  package let height: Int
  /// True if the data ended before the picture was complete.
  package let isTruncated: Bool
  /// True if the decoder reported warnings.
  package let isDamaged: Bool

  /// The offset of the pixels in bytes, aligned for vector loads.
  package static let headSize = 64
  /// The maximum number of pixels of a picture.
  package static let pixelLimit = WorkerArena.outputLimit - headSize

  package init(width: Int, height: Int, isTruncated: Bool = false, isDamaged: Bool = false) {
    self.width = width
    self.height = height
    self.isTruncated = isTruncated
    self.isDamaged = isDamaged
  }

  package var byteCount: Int { Self.headSize + width * height }

  package func write(to output: UnsafeMutableRawBufferPointer) { output.copyBytes(from: wireBytes) }

  /// Copies the header and decodes the copy, because the worker may change the original at any time; nil if the header is invalid
  /// or the picture does not have `count` bytes with its header.
  package init?(_ output: UnsafeMutableRawBufferPointer, count: Int) {
    guard let reply = try? GrayReply(wireBytes: Array(output[..<Self.headBytes])), reply.byteCount == count else {
      return nil
    }
    self = reply
  }

  /// Returns the pixels, which the worker may still change.
  package func pixels(in output: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: output[Self.headSize..<byteCount])
  }
}

extension GrayReply: WireValue {
  /// The encoded bytes of the width, the height and the flags.
  private static let headBytes = 12
  private static let fields = inOrder(ArenaPictureSize.wire, Wire<Int>.count(upTo: 3))

  package static let wire: Wire<GrayReply> = fields.map(
    { GrayReply(width: $0.0.width, height: $0.0.height, isTruncated: $0.1 & 1 != 0, isDamaged: $0.1 & 2 != 0) },
    { (ArenaPictureSize(width: $0.width, height: $0.height), ($0.isTruncated ? 1 : 0) | ($0.isDamaged ? 2 : 0)) })
}

/// The size of a picture in pixels, limited to pictures that fit into an arena.
package struct ArenaPictureSize: Equatable, WireValue {
  package let width: Int
  package let height: Int

  package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

  private static let side: Wire<Int> = Wire<Int>.count(from: 1, upTo: GrayReply.pixelLimit)

  package static let wire: Wire<ArenaPictureSize> = inOrder(side, side)
    .map({ ArenaPictureSize(width: $0.0, height: $0.1) }, { ($0.width, $0.height) })
    .when { $0.width * $0.height <= GrayReply.pixelLimit }
}

/// A picture file for a client, unchanged or converted to JPEG.
package struct PreparedPicture: Sendable, Equatable {
  package let format: PictureFormat
  package let width: Int
  package let height: Int
  /// The JPEG to send in place of the file; nil to send the file unchanged.
  package let replacement: [UInt8]?

  /// Decodes the file, which ensures that it is a picture, and reduces the picture if it is wider than `width` pixels.
  ///
  /// - Parameter asJPEG: true to convert a picture of another format to JPEG even if it is not reduced.
  /// - Throws: `ImageError` if the file is not a picture, is damaged, or cannot be encoded again.
  package init(_ file: UnsafeRawBufferPointer, width: Int?, asJPEG: Bool = false) throws(ImageError) {
    let decoded = try PictureDecoder().rgb(file)
    let image = decoded.image
    let width = min(width ?? image.width, image.width)
    guard width < image.width || asJPEG else {
      self.init(format: decoded.format, width: image.width, height: image.height, replacement: nil)
      return
    }
    let height = max(1, (image.height * width + image.width / 2) / image.width)
    let small = width < image.width ? image.resized(width: width, height: height) : image
    self.init(
      format: .jpeg, width: width, height: height,
      replacement: try JPEGEncoder.encode(small, quality: JPEGQuality.preview))
  }

  private init(format: PictureFormat, width: Int, height: Int, replacement: [UInt8]?) {
    self.format = format
    self.width = width
    self.height = height
    self.replacement = replacement
  }
}

extension PreparedPicture: WireValue {
  private static let fields = inOrder(
    Wire<PictureFormat>.choice, ArenaPictureSize.wire, Wire<[UInt8]>.raw(upTo: WorkerArena.outputLimit).optional)

  package static let wire: Wire<PreparedPicture> = fields.map(
    { format, size, replacement -> PreparedPicture? in
      // A replacement is always a JPEG.
      if let replacement, format != .jpeg || !replacement.starts(with: [0xFF, 0xD8]) { return nil }
      return PreparedPicture(format: format, width: size.width, height: size.height, replacement: replacement)
    },
    { ($0.format, ArenaPictureSize(width: $0.width, height: $0.height), $0.replacement) })
}

// MARK: - Tasks

/// A task that a program's workers perform on picture files.
package protocol WorkerTask: WireValue, Sendable {
  associatedtype Answer: WireValue, Sendable

  /// Performs the task on a file, in the worker.
  func result(_ file: UnsafeRawBufferPointer) throws(ImageError) -> Answer
}

extension WorkerTask {
  /// Decodes a task, performs it, and encodes the result; nil if the bytes are not a task.
  static func answer(_ bytes: [UInt8], _ file: UnsafeRawBufferPointer) throws(ImageError) -> [UInt8]? {
    guard let task = try? Self(wireBytes: bytes) else { return nil }
    return try task.result(file).wireBytes
  }
}

extension WorkerProcess {
  package func ask<Task: WorkerTask>(
    _ task: Task, on file: [UInt8], byteLimit: Int, limit: Double
  ) throws(WorkerFailure) -> Result<Task.Answer, ImageError> {
    guard file.count <= WorkerArena.inputLimit else { throw .tooLarge }
    arena.input.copyBytes(from: file)
    return try ask(
      WorkerRequest.task(size: file.count, task.wireBytes), for: Task.Answer.self, byteLimit: byteLimit, limit: limit)
  }
}
