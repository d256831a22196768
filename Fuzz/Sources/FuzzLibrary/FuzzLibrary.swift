import FuzzSupport
import Glibc
import WaymarkImage
import WaymarkSystem

@testable import WaymarkAnchors

/// Library files. Checksums keep out accidents, not people: they are made right before the file is opened, so that what
/// is behind them is reached.
@main
struct FuzzLibrary {
  static func main() { fuzz(seeds: [seed()]) { feed($0, $1) } }
}

private func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var file = input(bytes, count)
  repair(&file)
  let path = FuzzFile.path("library")
  FuzzFile.write(file, to: path)
  guard let library = try? AnchorLibrary(path: path) else { return 0 }
  for anchor in library.references.indices {
    if let image = library.references[anchor].image { _ = image[image.width - 1, image.height - 1] }
    _ = library.quality(of: anchor)
    _ = try? library.compiled(anchor)
  }
  let engine = AnchorEngine(library: library)
  for step in 0..<2 { _ = picture.withView { engine.process($0, at: Double(step)) } }
  return 0
}

private let picture = GrayImage(width: 160, height: 120) { pixels in
  var state: UInt32 = 7
  for y in 0..<120 {
    for x in 0..<160 {
      if x % 5 == 0 { state = state &* 1_664_525 &+ 1_013_904_223 }
      pixels[y * 160 + x] = UInt8(truncatingIfNeeded: state >> 24) &+ UInt8(y / 6 * 8)
    }
  }
}

private func repair(_ file: inout [UInt8]) {
  guard file.count >= LibraryLayout.headerSize else { return }
  func put(_ value: UInt64, at offset: Int, _ count: Int = 8) {
    for i in 0..<count { file[offset + i] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(i))) }
  }
  file.replaceSubrange(0..<8, with: LibraryFile.magic)
  put(UInt64(LibraryLayout.version), at: 8, 4)
  put(UInt64(LibraryLayout.fingerprint), at: 12, 4)
  put(UInt64(file.count), at: 16)
  func sum(_ range: Range<Int>) -> UInt64 {
    var sum = Checksum()
    file.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[range])) }
    return sum.value
  }
  if let header = LibraryHeader(Array(file[..<LibraryLayout.headerSize])), header.fits(file.count) {
    put(sum(header.directory), at: 96)
    put(sum(header.index), at: 104)
    for i in 0..<header.anchors {
      let record = LibraryLayout.headerSize + i * LibraryLayout.recordSize
      func number(_ at: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(file[record + at + $1]) << (8 * $1) }
      }
      let (start, size) = (number(32, 4), number(16, 2) * number(18, 2))
      guard start <= file.count, size <= file.count - start else { continue }
      put(sum(start..<start + size), at: record + 48)
    }
    put(sum(header.directory), at: 96)
  }
  put(sum(0..<120), at: 120)
}

private func seed() -> [UInt8] {
  var settings = AnchorCompiler.Settings()
  settings.limit = 40
  settings.shots = 8
  let compiler = AnchorCompiler(settings: settings)
  guard let anchor = try? compiler.compile(name: "seed", physicalWidth: 0.2, picture: picture),
    let bytes = try? LibraryWriter.bytes(of: [anchor])
  else { return [] }
  return bytes
}
