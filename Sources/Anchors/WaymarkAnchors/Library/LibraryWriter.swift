import WaymarkImage
import WaymarkSystem

/// Serialises compiled anchors as a library and writes the file. `SectionWriter` below writes the numbers of each
/// section.
package enum LibraryWriter {
  /// Returns the bytes of a library; equal anchors in the same order give equal bytes.
  ///
  /// - Parameter twins: The pairs of similar anchors among them.
  /// - Throws: `AnchorError` with `tooManyAnchors` or `duplicateName`.
  package static func bytes(
    of anchors: [CompiledAnchor], twins: [AnchorTwin] = []
  ) throws(AnchorError) -> [UInt8] {
    guard anchors.count < Int(UInt16.max) else {
      throw AnchorError(
        .tooManyAnchors, "\(anchors.count) anchors do not fit into one library.", hint: "Split them into several.")
    }
    var names = Set<String>()
    for a in anchors where !names.insert(a.name).inserted {
      throw AnchorError(
        .duplicateName, "Two anchors are named \"\(a.name)\".", hint: "Rename one of the pictures or its entry.")
    }
    let total = anchors.reduce(0) { $0 + $1.features.count }
    guard total <= LibraryHeader.mostFeatures else {
      throw AnchorError(
        .tooManyAnchors, "\(total) features do not fit into one library.",
        hint: "Keep fewer features an anchor, or split it.")
    }
    let bits = LibraryLayout.keyBits(features: total)
    let nameBytes = anchors.flatMap { Array($0.name.utf8) }

    var offsets: [Int] = []
    var end = LibraryLayout.headerSize
    let records = LibraryLayout.recordSize * anchors.count
    for size in [records, nameBytes.count, 4 * ((1 << bits) + 1), 32 * total, 8 * total, 4 * total] {
      offsets.append(end)
      end = LibraryLayout.align(end + size)
    }
    offsets.append(end)
    var pixelOffsets: [Int] = []
    for a in anchors {
      pixelOffsets.append(end)
      end = LibraryLayout.align(end + a.pixels.width * a.pixels.height + 64)
    }

    let twinsOffset = end
    let pairs = LibraryTwins.bytes(of: twins)
    end = LibraryLayout.align(end + pairs.count)

    var out = [UInt8](repeating: 0, count: end)
    out.withUnsafeMutableBytes { raw in
      let writer = SectionWriter(raw: raw)
      // The header without its checksums.
      raw.copyBytes(from: LibraryFile.magic)
      writer.put(LibraryLayout.version, at: 8)
      writer.put(LibraryLayout.fingerprint, at: 12)
      writer.put(UInt64(end), at: 16)
      writer.put(UInt32(anchors.count), at: 24)
      writer.put(UInt32(total), at: 28)
      writer.put(UInt32(bits), at: 32)
      writer.put(UInt32(nameBytes.count), at: 36)
      for (i, o) in offsets.enumerated() { writer.put(UInt64(o), at: 40 + 8 * i) }

      if !twins.isEmpty { writer.put(UInt64(twinsOffset), at: 112) }
      UnsafeMutableRawBufferPointer(rebasing: raw[twinsOffset...]).copyBytes(from: pairs)

      writer.putRecords(anchors, at: offsets[0], pixelOffsets)
      UnsafeMutableRawBufferPointer(rebasing: raw[offsets[1]...]).copyBytes(from: nameBytes)
      writer.putIndex(anchors, bits: bits, total: total, offsets)
      for (i, a) in anchors.enumerated() {
        a.pixels.withView { view in
          for y in 0..<view.height {
            (raw.baseAddress! + pixelOffsets[i] + y * view.width).copyMemory(from: view.row(y), byteCount: view.width)
          }
        }
        let sum = writer.checksum(pixelOffsets[i]..<pixelOffsets[i] + a.pixels.width * a.pixels.height)
        writer.put(sum, at: offsets[0] + i * LibraryLayout.recordSize + 48)
      }
      writer.put(writer.checksum(LibraryLayout.headerSize..<offsets[2]), at: 96)
      writer.put(writer.checksum(offsets[2]..<offsets[6]), at: 104)
      writer.put(writer.checksum(0..<120), at: 120)
    }
    return out
  }

  /// Returns the bytes of a library with its pairs of similar anchors. To find the pairs, all anchors are searched for in each
  /// picture.
  ///
  /// - Throws: The errors of `bytes(of:twins:)`, and `AnchorError` with `damaged` if the descriptor model is corrupt.
  package static func bytesWithTwins(of anchors: [CompiledAnchor]) throws(AnchorError) -> [UInt8] {
    let plain = try bytes(of: anchors)
    guard anchors.count > 1 else { return plain }
    let twins = AnchorTwin.pairs(in: try AnchorLibrary(bytes: plain))
    return twins.isEmpty ? plain : try bytes(of: anchors, twins: twins)
  }

  /// Writes a library atomically: the path has either the old or the complete new file. A pipe or device is written
  /// directly.
  ///
  /// - Throws: `AnchorError` with `cannotWrite`.
  package static func write(_ bytes: [UInt8], to path: String) throws(AnchorError) {
    do throws(FileError) {
      try DurableFile.write(bytes, to: path)
    } catch {
      throw AnchorError(
        .cannotWrite, "The library \"\(path)\" cannot be written: \(error.cause ?? error.message).",
        hint: "Check that the folder exists, may be written and has room.", cause: error.cause)
    }
  }
}

extension AnchorTwin {
  /// Returns the pairs of anchors whose first anchor is found in the picture of the second, each pair once.
  static func pairs(in library: AnchorLibrary) -> [AnchorTwin] {
    let detector = AnchorDetector(library: library)
    detector.comparesPrints = true
    var twins: [AnchorTwin] = []
    var seen = Set<Set<Int>>()
    for (index, r) in library.references.enumerated() {
      guard let picture = r.image else { continue }
      for claim in picture.withView({ detector.detect($0) })
      where claim.anchor != index && seen.insert([claim.anchor, index]).inserted {
        twins.append(AnchorTwin(first: claim.anchor, second: index, map: claim.homography))
      }
    }
    return twins
  }
}

/// Writes little-endian numbers into the bytes of a library.
private struct SectionWriter {
  let raw: UnsafeMutableRawBufferPointer

  func put<T: FixedWidthInteger>(_ value: T, at offset: Int) {
    raw.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
  }

  func checksum(_ range: Range<Int>) -> UInt64 { UnsafeRawBufferPointer(rebasing: raw[range]).checksum }

  func putRecords(_ anchors: [CompiledAnchor], at start: Int, _ pixels: [Int]) {
    var (name, list) = (0, 0)
    for (i, a) in anchors.enumerated() {
      let o = start + i * LibraryLayout.recordSize
      put(UInt32(name), at: o)
      put(UInt32(a.name.utf8.count), at: o + 4)
      put((a.physicalWidth ?? 0).bitPattern, at: o + 8)
      put(UInt16(a.pixels.width), at: o + 16)
      put(UInt16(a.pixels.height), at: o + 18)
      put(UInt32(list), at: o + 20)
      put(UInt32(a.features.count), at: o + 24)
      put(Float(a.recall).bitPattern, at: o + 28)
      put(UInt64(pixels[i]), at: o + 32)
      put((a.radius ?? 0).bitPattern, at: o + 40)
      put(UInt16(a.detail == nil ? 1 : 2), at: o + 56)
      for (k, count) in a.asked.enumerated() { put(UInt16(clamping: count), at: o + 58 + 2 * k) }
      name += a.name.utf8.count
      list += a.features.count
    }
  }

  /// Writes the key starts, the descriptors and features sorted by key, and each anchor's list of feature indices.
  func putIndex(_ anchors: [CompiledAnchor], bits: Int, total: Int, _ offsets: [Int]) {
    var starts = [UInt32](repeating: 0, count: (1 << bits) + 1)
    for a in anchors {
      for i in 0..<a.features.count { starts[FeatureKey.key(a.descriptors[4 * i], bits: bits) + 1] += 1 }
    }
    for i in 1..<starts.count { starts[i] += starts[i - 1] }
    for (i, s) in starts.enumerated() { put(s, at: offsets[2] + 4 * i) }
    var next = starts
    var list = 0
    for (index, a) in anchors.enumerated() {
      for (i, f) in a.features.enumerated() {
        let key = FeatureKey.key(a.descriptors[4 * i], bits: bits)
        let place = Int(next[key])
        next[key] += 1
        for k in 0..<4 { put(a.descriptors[4 * i + k], at: offsets[3] + 32 * place + 8 * k) }
        let o = offsets[4] + 8 * place
        put(UInt16(index), at: o)
        put(f.x64, at: o + 2)
        put(f.y64, at: o + 4)
        put(f.view, at: o + 6)
        put(f.direction, at: o + 7)
        put(UInt32(place), at: offsets[5] + 4 * list)
        list += 1
      }
    }
  }
}
