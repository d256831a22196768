import CPictures
import FuzzConversion

@main
struct FuzzTiff {
  static func main() { fuzzConversion(CPICTURES_TIFF) }
}
