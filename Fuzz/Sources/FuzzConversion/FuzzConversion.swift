import CPictures
import FuzzSupport
import Glibc

/// Set once before the first input: a C function takes no context.
private nonisolated(unsafe) var fuzzedKind: Int32 = 0

/// Files of a format that has a library of its own, as the program `waymark-pictures` decodes them. The library itself has no
/// instrumentation: what is watched is the code that calls it, the memory that it takes, and that it ends.
///
/// - Parameter kind: one of `CPICTURES_TIFF` and the like.
package func fuzzConversion(_ kind: Int) {
  fuzzedKind = Int32(kind)
  require(cpictures_load(fuzzedKind) == 0, "the library is not installed")
  fuzz(seeds: []) { bytes, count in
    let file = input(bytes, count)
    let limit: UInt64 = 1 << 18
    for number: UInt32 in [0, 1] {
      var page = cpictures_page()
      let status = Int(cpictures_decode(fuzzedKind, file, file.count, number, limit, 20, &page))
      require((CPICTURES_OK...CPICTURES_MEMORY).contains(status), "a status that there is not")
      require((status == CPICTURES_OK) == (page.pixels != nil), "pixels without a page, or none of one")
      guard let pixels = page.pixels else { continue }
      let size = UInt64(page.width) * UInt64(page.height)
      require(size > 0 && size <= limit && number < page.pages && page.pages <= 20, "size")
      require([1, 3, 4].contains(page.channels), "channels")
      // The sanitizer reports a buffer that is smaller than promised.
      require(pixels[Int(size) * Int(page.channels) - 1] <= 255, "the last byte")
      free(pixels)
    }
    return 0
  }
}
