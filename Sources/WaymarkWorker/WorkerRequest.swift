import WaymarkBarcodes
import WaymarkImage

/// What a worker is asked. The bytes it is about lie at the beginning of the arena.
enum WorkerRequest: Equatable {
  /// Codes in a gray picture whose pixels are in the arena.
  case codes(width: Int, height: Int, ScanConfiguration)
  /// Codes in a picture file.
  case codesInFile(size: Int, ScanConfiguration)
  /// A picture file made ready for a client, at most that wide.
  case prepared(size: Int, width: Int?)
  /// The gray pixels of a picture file.
  case gray(size: Int)
  /// The gray pixels of a Motion JPEG frame.
  case frame(size: Int, FrameOrder)
  /// A Motion JPEG frame as a smaller JPEG file.
  case preview(size: Int, FrameOrder, Orientation, quality: Int)
  /// What an order of so many bytes, which stands in front of a picture, wants of the page in it.
  case page(size: Int, order: Int)

  /// Numbers a request has.
  private static let length = 6
  static let byteCount = 4 * length

  private static let efforts = ScanConfiguration.Effort.allCases

  var bytes: [UInt8] {
    let numbers: [UInt32] =
      switch self {
      case .codes(let width, let height, let configuration):
        [1, UInt32(clamping: width), UInt32(clamping: height)] + Self.numbers(configuration)
      case .codesInFile(let size, let configuration):
        [2, UInt32(clamping: size), 0] + Self.numbers(configuration)
      case .prepared(let size, let width): [3, UInt32(clamping: size), UInt32(clamping: width ?? 0), 0, 0, 0]
      case .gray(let size): [4, UInt32(clamping: size), 0, 0, 0, 0]
      case .frame(let size, let order): [5, UInt32(clamping: size)] + Self.numbers(order) + [0]
      case .preview(let size, let order, let orientation, let quality):
        [6, UInt32(clamping: size)] + Self.numbers(order) + [UInt32(orientation.rawValue << 8 | quality)]
      case .page(let size, let order): [7, UInt32(clamping: size), UInt32(clamping: order), 0, 0, 0]
      }
    var wire = WireWriter()
    for number in numbers { wire.number(number) }
    return wire.bytes
  }

  /// The request that was sent; nil for anything else.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    var wire = WireReader(bytes)
    var numbers: [UInt32] = []
    while !wire.isAtEnd, let number = try? wire.number() { numbers.append(number) }
    let (first, second) = (Int(numbers[1]), Int(numbers[2]))
    switch numbers[0] {
    case 1:
      guard let configuration = Self.configuration(numbers[3...]) else { return nil }
      self = .codes(width: first, height: second, configuration)
    case 2:
      guard let configuration = Self.configuration(numbers[3...]) else { return nil }
      self = .codesInFile(size: first, configuration)
    case 3: self = .prepared(size: first, width: second == 0 ? nil : second)
    case 4: self = .gray(size: first)
    case 5:
      guard let order = Self.order(numbers[2...]) else { return nil }
      self = .frame(size: first, order)
    case 6:
      guard let order = Self.order(numbers[2...]), let orientation = Orientation(rawValue: Int(numbers[5] >> 8)) else {
        return nil
      }
      self = .preview(size: first, order, orientation, quality: Int(numbers[5] & 0xFF))
    case 7: self = .page(size: first, order: second)
    default: return nil
    }
  }

  private static func numbers(_ configuration: ScanConfiguration) -> [UInt32] {
    [configuration.effort.place, mask(configuration.symbologies), mask(configuration.withheld)]
  }

  private static func configuration(_ numbers: ArraySlice<UInt32>) -> ScanConfiguration? {
    let numbers = Array(numbers)
    guard efforts.indices.contains(Int(numbers[0])) else { return nil }
    return ScanConfiguration(
      symbologies: set(numbers[1]), effort: efforts[Int(numbers[0])], withheld: set(numbers[2]))
  }

  private static func numbers(_ order: FrameOrder) -> [UInt32] {
    [UInt32(clamping: order.width), UInt32(clamping: order.height), UInt32(order.scale.rawValue)]
  }

  private static func order(_ numbers: ArraySlice<UInt32>) -> FrameOrder? {
    let numbers = Array(numbers)
    guard let scale = JPEGDecoder.Scale(rawValue: Int32(truncatingIfNeeded: numbers[2])) else { return nil }
    return FrameOrder(width: Int(numbers[0]), height: Int(numbers[1]), scale: scale)
  }

  private static func mask<T: CaseIterable & Hashable>(_ set: Set<T>) -> UInt32 where T.AllCases == [T] {
    set.reduce(0) { $0 | 1 << $1.place }
  }

  private static func set<T: CaseIterable & Hashable>(_ mask: UInt32) -> Set<T> where T.AllCases == [T] {
    Set(T.allCases.filter { mask & 1 << $0.place != 0 })
  }
}
