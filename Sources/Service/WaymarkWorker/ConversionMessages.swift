/// A request to the program that converts pictures: a page of the file that lies at the beginning of the arena.
struct ConversionRequest: Equatable {
  /// More pages of a file are not read.
  static let pageLimit = 1000

  /// Bytes.
  let size: Int
  /// From 0.
  let page: Int
  /// False if the page's colours need not be kept.
  let keepsColour: Bool
}

/// The answer: the page as a file that `PictureDecoder` reads.
struct ConvertedPage: Equatable {
  /// No file is larger, in bytes: it has to fit into a worker that reads it.
  static let byteLimit = WorkerArena.inputLimit

  /// Pages of the file it was made of; one more than the limit where there are more.
  let count: Int
  let file: [UInt8]
}

// MARK: - How they pass

extension ConversionRequest: WireValue {
  private static let kind = 0x5049_4331
  private static let fields = inOrder(
    Wire<Int>.count(from: kind, upTo: kind), Wire<Int>.count(upTo: WorkerArena.inputLimit),
    Wire<Int>.count(upTo: pageLimit - 1), Wire<Bool>.flag)

  package static let wire: Wire<ConversionRequest> = fields.map(
    { ConversionRequest(size: $0.1, page: $0.2, keepsColour: $0.3) }, { (kind, $0.size, $0.page, $0.keepsColour) })
}

extension ConvertedPage: WireValue {
  /// The most bytes of an answer.
  static let answerLimit = byteLimit + 8

  package static let wire: Wire<ConvertedPage> = inOrder(
    Wire<Int>.count(from: 1, upTo: ConversionRequest.pageLimit + 1), Wire<[UInt8]>.raw(upTo: byteLimit)
  ).map({ ConvertedPage(count: $0.0, file: $0.1) }, { ($0.count, $0.file) })
}
