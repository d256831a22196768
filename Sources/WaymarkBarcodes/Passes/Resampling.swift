import CKernels
import WaymarkImage

/// Other sizes of a picture.
enum Resampling {
  /// Means of `factor`×`factor` pixels; a rest at the right and the bottom falls away.
  static func shrink(_ view: ImageView, by factor: Int) -> GrayImage {
    let width = view.width / factor
    let height = view.height / factor
    return GrayImage(width: width, height: height) { pixels in
      guard let target = pixels.baseAddress else { return }
      if factor == 2 {
        ck_halve(view.base, view.stride, target, width, Int32(clamping: width), Int32(clamping: height))
        return
      }
      let area = UInt32(factor * factor)
      for y in 0..<height {
        let row = target + y &* width
        for x in 0..<width {
          var sum: UInt32 = 0
          for dy in 0..<factor {
            let source = view.row(y &* factor &+ dy) + x &* factor
            for dx in 0..<factor { sum &+= UInt32(source[dx]) }
          }
          row[x] = UInt8(truncatingIfNeeded: (sum &+ area / 2) / area)
        }
      }
    }
  }

  /// Twice the size, linear between pixels: each pixel becomes four, at a quarter of the way to its neighbours.
  static func double(_ view: ImageView) -> GrayImage {
    let width = view.width * 2
    let height = view.height * 2
    return GrayImage(width: width, height: height) { pixels in
      guard let target = pixels.baseAddress, view.width > 0 else { return }
      for y in 0..<height {
        // Rows at a quarter and three quarters between two of the source.
        let near = y / 2
        let far = min(max(0, y & 1 == 0 ? near - 1 : near + 1), view.height - 1)
        let a = view.row(near)
        let b = view.row(far)
        let row = target + y &* width
        for x in 0..<view.width {
          let left = x == 0 ? 0 : x &- 1
          let right = x &+ 1 == view.width ? x : x &+ 1
          let m = 3 &* UInt16(a[x]) &+ UInt16(b[x])
          let l = 3 &* UInt16(a[left]) &+ UInt16(b[left])
          let r = 3 &* UInt16(a[right]) &+ UInt16(b[right])
          row[2 &* x] = UInt8(truncatingIfNeeded: (3 &* m &+ l &+ 8) &>> 4)
          row[2 &* x &+ 1] = UInt8(truncatingIfNeeded: (3 &* m &+ r &+ 8) &>> 4)
        }
      }
    }
  }

  /// Turned by `degrees` about its centre, large enough to hold it all, white around.
  static func rotate(_ view: ImageView, degrees: Double) -> (image: GrayImage, map: ImageRotation) {
    let map = ImageRotation(degrees: degrees, width: view.width, height: view.height)
    let image = GrayImage(width: map.width, height: map.height) { pixels in
      guard let target = pixels.baseAddress else { return }
      // 16.16 fixed point, linear between pixels.
      let sx = Int(map.cosine * 65536)
      let sy = Int(-map.sine * 65536)
      for y in 0..<map.height {
        let start = map.toSource([0, Double(y)])
        var u = Int(start.x * 65536)
        var v = Int(start.y * 65536)
        let row = target + y &* map.width
        for x in 0..<map.width {
          let iu = u >> 16
          let iv = v >> 16
          if iu >= 0, iv >= 0, iu &+ 1 < view.width, iv &+ 1 < view.height {
            let p = view.row(iv) + iu
            let q = p + view.stride
            let fx = (u & 0xFFFF) >> 8
            let fy = (v & 0xFFFF) >> 8
            let top = Int(p[0]) &* (256 &- fx) &+ Int(p[1]) &* fx
            let bottom = Int(q[0]) &* (256 &- fx) &+ Int(q[1]) &* fx
            row[x] = UInt8(truncatingIfNeeded: (top &* (256 &- fy) &+ bottom &* fy) >> 16)
          } else {
            row[x] = 255
          }
          u &+= sx
          v &+= sy
        }
      }
    }
    return (image, map)
  }
}

extension GrayImage {
  /// The picture with a border of one tone around it.
  func framed(_ border: Int, tone: UInt8) -> GrayImage {
    let (wide, high) = (width + 2 * border, height + 2 * border)
    return GrayImage(width: wide, height: high) { pixels in
      guard let target = pixels.baseAddress else { return }
      pixels.update(repeating: tone)
      withView { view in
        for y in 0..<view.height {
          (target + (y + border) * wide + border).update(from: view.row(y), count: view.width)
        }
      }
    }
  }
}
