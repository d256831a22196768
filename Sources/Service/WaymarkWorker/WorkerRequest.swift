package import WaymarkBarcodes
package import WaymarkFrames
import WaymarkImage

/// A request to a worker. The bytes it is about lie at the beginning of the arena.
enum WorkerRequest: Equatable {
  /// Codes in a gray picture whose pixels are in the arena.
  case codes(width: Int, height: Int, ScanConfiguration)
  /// Codes in a picture file.
  case codesInFile(size: Int, ScanConfiguration)
  /// A picture file made ready for a client, at most that wide; as a JPEG also where it is not wider.
  case prepared(size: Int, width: Int?, asJPEG: Bool = false)
  /// The gray pixels of a picture file.
  case gray(size: Int)
  /// The gray pixels of a Motion JPEG frame.
  case frame(size: Int, DecodeRequest)
  /// A Motion JPEG frame as a smaller JPEG file.
  case preview(size: Int, DecodeRequest, Orientation, quality: Int)
  /// The program's own task on a picture file: a `WorkerTask` as it passes.
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
