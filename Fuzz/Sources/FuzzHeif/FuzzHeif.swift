import CPictures
import FuzzConversion

@main
struct FuzzHeif {
  static func main() { fuzzConversion(CPICTURES_HEIF) }
}
