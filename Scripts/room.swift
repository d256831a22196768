// Renders the workshop of Scripts/make-room by path tracing: a room with daylight, a bench, shelves, and a kiosk whose screen shows a picture.
// Compiled by that script: room VIEW WIDTH HEIGHT SAMPLES [SCREEN.ppm] > OUT.ppm; VIEW is `camera` or `device`.
#if canImport(Glibc)
import Glibc
#endif

typealias V = SIMD3<Float>
func dot(_ a: V, _ b: V) -> Float { (a * b).sum() }
func cross(_ a: V, _ b: V) -> V { V(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x) }
func unit(_ a: V) -> V { a / dot(a, a).squareRoot() }

struct Chance {
  var state: UInt64
  mutating func next() -> Float {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Float((state >> 40) & 0xFFFFFF) / Float(0x1000000)
  }
}

enum Look { case plain, wood, plaster, concrete, carton, light, screen }

let arguments = CommandLine.arguments
let isDevice = arguments[1] == "device"

/// A box, turned about its middle; `round` makes it an upright cylinder.
struct Thing {
  var middle: V, half: V, color: V, look: Look, isRound: Bool
  var x: V, y: V, z: V, radius: Float
  init(_ at: V, _ size: V, _ color: V, _ look: Look = .plain, yaw: Float = 0, pitch: Float = 0, round: Bool = false) {
    (middle, half, self.color, self.look, isRound) = (at, size / 2, color, look, round)
    let (sy, cy, sp, cp) = (sin(yaw), cos(yaw), sin(pitch), cos(pitch))
    (x, y, z) = (V(cy, 0, -sy), V(sy * sp, cp, cy * sp), V(sy * cp, -sp, cy * cp))
    radius = (half * half).sum().squareRoot()
  }
}

struct Hit { var t: Float, normal: V, thing: Int, local: V }

var things: [Thing] = []
func add(_ thing: Thing) { things.append(thing) }

// The room: floor, walls, ceiling; the window is in the left wall.
add(Thing(V(0, -0.05, 2), V(9, 0.1, 9), V(0.42, 0.41, 0.39), .concrete))
add(Thing(V(0, 1.5, 5.05), V(9, 3.2, 0.1), V(0.78, 0.77, 0.73), .plaster))
add(Thing(V(3.65, 1.5, 2), V(0.1, 3.2, 9), V(0.72, 0.73, 0.72), .plaster))
add(Thing(V(0, 3.05, 2), V(9, 0.1, 9), V(0.85, 0.85, 0.84)))
add(Thing(V(0, 1.5, -2.45), V(9, 3.2, 0.1), V(0.7, 0.7, 0.68), .plaster))
add(Thing(V(-3.65, 0.5, 2), V(0.1, 1, 9), V(0.74, 0.74, 0.72), .plaster))
add(Thing(V(-3.65, 2.8, 2), V(0.1, 0.5, 9), V(0.74, 0.74, 0.72), .plaster))
add(Thing(V(-3.65, 1.8, 4.3), V(0.1, 1.6, 1.6), V(0.74, 0.74, 0.72), .plaster))
for z: Float in [-0.4, 1.0, 2.4] { add(Thing(V(-3.62, 1.8, z), V(0.08, 1.6, 0.07), V(0.2, 0.21, 0.22))) }
// Shelves at the back, with cartons and bins on them.
var dice = Chance(state: 5)
for x: Float in [-2.4, -0.6, 1.2] { add(Thing(V(x, 1.15, 4.75), V(0.05, 2.3, 0.4), V(0.16, 0.2, 0.27))) }
for y: Float in [0.25, 0.85, 1.45, 2.05] {
  add(Thing(V(-0.6, y, 4.75), V(3.7, 0.04, 0.44), V(0.5, 0.5, 0.5)))
  var x: Float = -2.3
  while x < 1.0 {
    let (width, height) = (0.24 + 0.26 * dice.next(), 0.18 + 0.26 * dice.next())
    if x + width > 1.12 { break }
    let kind = dice.next()
    let place = V(x + width / 2, y + 0.02 + height / 2, 4.72 + 0.05 * dice.next())
    if kind < 0.6 {
      let tone = 0.75 + 0.3 * dice.next()
      add(Thing(place, V(width, height, 0.34), V(0.55, 0.38, 0.22) * tone, .carton, yaw: 0.12 * (dice.next() - 0.5)))
    } else if kind < 0.85 {
      let color = [V(0.06, 0.2, 0.45), V(0.5, 0.08, 0.06), V(0.08, 0.3, 0.2), V(0.55, 0.42, 0.06)][Int(dice.next() * 3.99)]
      add(Thing(place - V(0, height * 0.2, 0), V(width, height * 0.6, 0.32), color))
    } else {
      add(Thing(place, V(0.18, height, 0.18), V(0.6, 0.6, 0.62), round: true))
    }
    x += width + 0.03 + 0.08 * dice.next()
  }
}
// A bench before it, with what lies on one.
add(Thing(V(-1.2, 0.88, 3.3), V(2.2, 0.07, 0.8), V(0.5, 0.32, 0.18), .wood))
for (x, z) in [(-2.2, 3.0), (-0.2, 3.0), (-2.2, 3.6), (-0.2, 3.6)] as [(Float, Float)] { add(Thing(V(x, 0.43, z), V(0.08, 0.86, 0.08), V(0.18, 0.18, 0.19))) }
add(Thing(V(-1.2, 0.3, 3.3), V(2, 0.04, 0.6), V(0.4, 0.4, 0.4)))
add(Thing(V(-1.85, 1.05, 3.4), V(0.5, 0.26, 0.26), V(0.5, 0.06, 0.05), yaw: 0.2))
add(Thing(V(-1.85, 1.2, 3.4), V(0.3, 0.03, 0.04), V(0.1, 0.1, 0.1), yaw: 0.2))
add(Thing(V(-0.62, 1.03, 3.45), V(0.16, 0.22, 0.16), V(0.75, 0.75, 0.72), round: true))
add(Thing(V(-0.42, 0.99, 3.25), V(0.12, 0.15, 0.12), V(0.1, 0.28, 0.4), round: true))
add(Thing(V(-1.2, 0.93, 3.2), V(0.32, 0.015, 0.23), V(0.8, 0.79, 0.74), yaw: -0.3))
add(Thing(V(-1.2, 1.03, 3.5), V(0.34, 0.2, 0.28), V(0.5, 0.35, 0.21), .carton, yaw: 0.35))
add(Thing(V(-1.6, 0.46, 3.3), V(0.5, 0.28, 0.4), V(0.48, 0.34, 0.2), .carton, yaw: -0.1))
add(Thing(V(-0.8, 0.43, 3.3), V(0.4, 0.22, 0.4), V(0.07, 0.2, 0.42)))
// A pallet at the right.
add(Thing(V(2.5, 0.07, 4.0), V(1.2, 0.14, 0.9), V(0.48, 0.34, 0.2), .wood))
for (x, y, z, w) in [(2.2, 0.36, 4.0, 0.55), (2.8, 0.36, 4.0, 0.55), (2.3, 0.78, 4.05, 0.5), (2.82, 0.74, 3.95, 0.46)] as [(Float, Float, Float, Float)] {
  add(Thing(V(x, y, z), V(w, 0.42, 0.6), V(0.53, 0.38, 0.23), .carton, yaw: 0.05 * (x - 2.5)))
}
// The kiosk, which its own camera does not see: foot, column, and a screen that leans back.
let leaning: Float = -0.26
let turned: Float = -0.16
let kiosk = V(0.78, 1.25, 1.15)
if isDevice {
  add(Thing(V(0.78, 0.015, 1.2), V(0.5, 0.03, 0.42), V(0.14, 0.14, 0.15), yaw: turned))
  add(Thing(V(0.79, 0.6, 1.26), V(0.13, 1.2, 0.07), V(0.62, 0.62, 0.63), yaw: turned))
  add(Thing(kiosk, V(0.76, 0.46, 0.045), V(0.035, 0.035, 0.04), yaw: turned, pitch: leaning))
  let face = things[things.count - 1]
  add(Thing(kiosk - face.z * 0.0235, V(0.704, 0.396, 0.002), V(1, 1, 1), .screen, yaw: turned, pitch: leaning))
  // The camera over the screen.
  add(Thing(kiosk + face.y * 0.214 - face.z * 0.023, V(0.02, 0.008, 0.004), V(0.01, 0.01, 0.02), yaw: turned, pitch: leaning))
}
// Lights: the window, and a lamp below the ceiling.
let lights = [
  (corner: V(-3.7, 1.0, -1.8), a: V(0, 1.6, 0), b: V(0, 0, 5.3), normal: V(1, 0, 0), power: V(9.5, 10.3, 11.5)),
  (corner: V(-0.3, 2.97, 1.6), a: V(1.3, 0, 0), b: V(0, 0, 0.3), normal: V(0, -1, 0), power: V(9, 8, 6.4)),
]

// Groups of things, so that most are passed by at once.
struct Group { var middle: V, radius: Float, range: Range<Int> }
var groups: [Group] = []
for start in stride(from: 9, to: things.count, by: 6) {
  let range = start..<min(start + 6, things.count)
  let middle = range.reduce(V.zero) { $0 + things[$1].middle } / Float(range.count)
  groups.append(Group(middle: middle, radius: range.map { i in (dot(things[i].middle - middle, things[i].middle - middle)).squareRoot() + things[i].radius }.max() ?? 0, range: range))
}

let (width, height, samples) = (Int(arguments[2])!, Int(arguments[3])!, Int(arguments[4])!)
var screen: [V] = []
var (screenWidth, screenHeight) = (1, 1)
if arguments.count > 5 {
  let file = fopen(arguments[5], "rb")!
  var most: Int32 = 0
  var (w, h): (Int32, Int32) = (0, 0)
  var header: [UInt8] = []
  while header.filter({ $0 == 10 || $0 == 32 }).count < 4 { header.append(UInt8(fgetc(file))) }
  let numbers = String(decoding: header, as: UTF8.self).split { $0 == "\n" || $0 == " " }.dropFirst().map { Int32($0)! }
  (w, h, most) = (numbers[0], numbers[1], numbers[2])
  precondition(most == 255)
  (screenWidth, screenHeight) = (Int(w), Int(h))
  var bytes = [UInt8](repeating: 0, count: screenWidth * screenHeight * 3)
  _ = fread(&bytes, 1, bytes.count, file)
  fclose(file)
  screen = (0..<screenWidth * screenHeight).map { i in
    V((0..<3).map { powf(Float(bytes[i * 3 + $0]) / 255, 2.2) })
  }
} else {
  screen = [V(0.05, 0.05, 0.08)]
}

func lattice(_ x: Int, _ y: Int) -> Float {
  var h = UInt64(bitPattern: Int64(x)) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: Int64(y)) &* 0xC2B2_AE3D_27D4_EB4F
  h = (h ^ (h >> 29)) &* 0xBF58_476D_1CE4_E5B9
  return Float(h >> 40) / Float(1 << 24)
}
func noise(_ x: Float, _ y: Float) -> Float {
  let (i, j) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
  let (u, v) = (x - Float(i), y - Float(j))
  let (s, t) = (u * u * (3 - 2 * u), v * v * (3 - 2 * v))
  return (lattice(i, j) * (1 - s) + lattice(i + 1, j) * s) * (1 - t) + (lattice(i, j + 1) * (1 - s) + lattice(i + 1, j + 1) * s) * t
}
func cloud(_ x: Float, _ y: Float) -> Float { noise(x, y) * 0.5 + noise(x * 2.1, y * 2.1) * 0.3 + noise(x * 4.3, y * 4.3) * 0.2 }

func color(_ hit: Hit, _ point: V) -> V {
  let thing = things[hit.thing]
  switch thing.look {
  case .plain: return thing.color
  case .plaster: return thing.color * (0.93 + 0.1 * cloud(point.x * 3 + point.z * 3, point.y * 3))
  case .concrete: return thing.color * (0.8 + 0.35 * cloud(point.x * 2.5, point.z * 2.5)) * (0.96 + 0.06 * noise(point.x * 90, point.z * 90))
  case .wood:
    let plank = (hit.local.z / 0.16).rounded(.down)
    return thing.color * (0.75 + 0.4 * noise(hit.local.x * 2.2 + plank * 7, hit.local.z * 60)) * (0.85 + 0.25 * lattice(Int(plank), 3))
  case .carton:
    let isTape = abs(hit.local.x) < 0.025 && abs(hit.normal.y) + abs(hit.normal.z) > 0.5
    let isLabel = hit.local.z < 0 && hit.local.x > thing.half.x * 0.2 && hit.local.x < thing.half.x * 0.8 && hit.local.y > -thing.half.y * 0.3 && hit.local.y < thing.half.y * 0.35
    if isLabel { return V(0.75, 0.75, 0.72) * (fmodf(hit.local.y * 60 + 90, 1) < 0.35 && hit.local.x < thing.half.x * 0.7 ? 0.55 : 1) }
    return (isTape ? thing.color * 1.25 : thing.color) * (0.92 + 0.12 * noise(point.x * 40, point.y * 40 + point.z * 40))
  case .light, .screen: return V.zero
  }
}

func shown(_ local: V, _ half: V) -> V {
  let (u, v) = ((local.x / half.x + 1) / 2, (1 - local.y / half.y) / 2)
  let (x, y) = (u * Float(screenWidth) - 0.5, v * Float(screenHeight) - 0.5)
  let (i, j) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
  func at(_ x: Int, _ y: Int) -> V { screen[min(max(y, 0), screenHeight - 1) * screenWidth + min(max(x, 0), screenWidth - 1)] }
  let (s, t) = (x - Float(i), y - Float(j))
  return (at(i, j) * (1 - s) + at(i + 1, j) * s) * (1 - t) + (at(i, j + 1) * (1 - s) + at(i + 1, j + 1) * s) * t
}

func meet(_ index: Int, _ from: V, _ way: V, _ hit: inout Hit, _ all: UnsafeBufferPointer<Thing>) {
  let thing = all[index]
  let apart = from - thing.middle
  let o = V(dot(apart, thing.x), dot(apart, thing.y), dot(apart, thing.z))
  let d = V(dot(way, thing.x), dot(way, thing.y), dot(way, thing.z))
  let inverse = V(1 / d.x, 1 / d.y, 1 / d.z)
  let (a, b) = ((-thing.half - o) * inverse, (thing.half - o) * inverse)
  let (near, far) = (pointwiseMin(a, b), pointwiseMax(a, b))
  var (enter, leave) = (near.max(), far.min())
  guard enter < leave, leave > 1e-4 else { return }
  var normal = V.zero
  if thing.isRound {
    let r = thing.half.x
    let qa = d.x * d.x + d.z * d.z, qb = o.x * d.x + o.z * d.z, qc = o.x * o.x + o.z * o.z - r * r
    let under = qb * qb - qa * qc
    guard under > 0, qa > 1e-9 else { return }
    let root = under.squareRoot()
    let (c0, c1) = ((-qb - root) / qa, (-qb + root) / qa)
    let caps = (near.y, far.y)
    enter = max(c0, caps.0)
    leave = min(c1, caps.1)
    guard enter < leave, enter > 1e-4, enter < hit.t else { return }
    let p = o + d * enter
    normal = c0 > caps.0 ? V(p.x / r, 0, p.z / r) : V(0, d.y > 0 ? -1 : 1, 0)
    hit = Hit(t: enter, normal: thing.x * normal.x + thing.y * normal.y + thing.z * normal.z, thing: index, local: p)
    return
  }
  guard enter > 1e-4, enter < hit.t else { return }
  if near.x == enter { normal.x = d.x > 0 ? -1 : 1 } else if near.y == enter { normal.y = d.y > 0 ? -1 : 1 } else { normal.z = d.z > 0 ? -1 : 1 }
  hit = Hit(t: enter, normal: thing.x * normal.x + thing.y * normal.y + thing.z * normal.z, thing: index, local: o + d * enter)
}

func trace(_ from: V, _ way: V, _ most: Float, _ all: UnsafeBufferPointer<Thing>, _ sets: UnsafeBufferPointer<Group>) -> Hit {
  var hit = Hit(t: most, normal: V.zero, thing: -1, local: V.zero)
  for index in 0..<9 { meet(index, from, way, &hit, all) }
  for group in sets {
    let apart = group.middle - from
    let along = dot(apart, way)
    if dot(apart, apart) - along * along > group.radius * group.radius || along < -group.radius || along - group.radius > hit.t { continue }
    for index in group.range { meet(index, from, way, &hit, all) }
  }
  return hit
}

/// Light that arrives along a ray; for the first hit also what the filter needs.
func light(_ start: V, _ direction: V, _ chance: inout Chance, _ all: UnsafeBufferPointer<Thing>, _ sets: UnsafeBufferPointer<Group>, _ guide: inout (albedo: V, normal: V, depth: Float, own: V)) -> V {
  var (from, way) = (start, direction)
  var sum = V.zero, weight = V.one
  for bounce in 0..<4 {
    let hit = trace(from, way, 1e9, all, sets)
    if bounce == 0, hit.thing < 0 || all[hit.thing].look == .screen {
      let glow = hit.thing < 0 ? V(9.5, 10.3, 11.5) * 0.55 : shown(hit.local, all[hit.thing].half) * 1.5 * (hit.local.z < 0 ? 1 : 0)
      guide = (V.one, hit.normal, hit.t, glow)
      if hit.thing >= 0 { guide.depth = hit.t }
      return V.zero
    }
    guard hit.thing >= 0 else { break }
    if all[hit.thing].look == .screen {
      sum += weight * shown(hit.local, all[hit.thing].half) * 1.4
      break
    }
    let point = from + way * hit.t
    let albedo = color(hit, point)
    if bounce == 0 { guide = (albedo, hit.normal, hit.t, V.zero) } else { weight *= albedo }
    for lamp in lights {
      let spot = lamp.corner + lamp.a * chance.next() + lamp.b * chance.next()
      let apart = spot - point
      let square = dot(apart, apart), length = square.squareRoot()
      let toward = apart / length
      let (here, there) = (dot(hit.normal, toward), -dot(lamp.normal, toward))
      guard here > 0, there > 0 else { continue }
      let area = dot(cross(lamp.a, lamp.b), cross(lamp.a, lamp.b)).squareRoot()
      if trace(point + hit.normal * 1e-3, toward, length - 0.12, all, sets).thing < 0 {
        // Near a light a chance hit would leave a dot.
        sum += pointwiseMin(weight * lamp.power * (here * there * area / (square * Float.pi)), V(repeating: bounce == 0 ? 12 : 1.5))
      }
    }
    let (r1, r2) = (chance.next() * 2 * Float.pi, chance.next())
    let side = unit(abs(hit.normal.x) > 0.5 ? cross(hit.normal, V(0, 1, 0)) : cross(hit.normal, V(1, 0, 0)))
    let other = cross(hit.normal, side)
    way = unit(side * (cosf(r1) * r2.squareRoot()) + other * (sinf(r1) * r2.squareRoot()) + hit.normal * (1 - r2).squareRoot())
    from = point + hit.normal * 1e-3
  }
  return sum
}

let eye = isDevice ? V(0.42, 1.56, 0.12) : V(0.5, 1.42, 0.5)
let target = isDevice ? V(0.68, 1.235, 1.15) : V(-0.75, 1.12, 3.6)
let forward = unit(target - eye), right = unit(cross(V(0, 1, 0), forward)), up = cross(forward, right)
let scale: Float = isDevice ? 0.46 : 0.62
typealias Buffer = (albedo: V, normal: V, depth: Float, own: V)
var irradiance = [V](repeating: .zero, count: width * height)
var guides = [Buffer](repeating: (.zero, .zero, 0, .zero), count: width * height)
let all = UnsafeMutableBufferPointer<Thing>.allocate(capacity: things.count)
_ = all.initialize(from: things)
let sets = UnsafeMutableBufferPointer<Group>.allocate(capacity: groups.count)
_ = sets.initialize(from: groups)
let (readThings, readGroups) = (UnsafeBufferPointer(all), UnsafeBufferPointer(sets))
for y in 0..<height {
  for x in 0..<width {
    var chance = Chance(state: UInt64(y * width + x) &* 0x9E37_79B9_7F4A_7C15 &+ 77)
    _ = chance.next()
    var sum = V.zero
    var all: Buffer = (.zero, .zero, 0, .zero)
    for _ in 0..<samples {
      let u = (Float(x) + chance.next() - Float(width) / 2) / Float(height) * 2 * scale
      let v = -(Float(y) + chance.next() - Float(height) / 2) / Float(height) * 2 * scale
      var guide: Buffer = (.zero, .zero, 0, .zero)
      sum += light(eye, unit(forward + right * u + up * v), &chance, readThings, readGroups, &guide)
      all = (all.albedo + guide.albedo, all.normal + guide.normal, all.depth + guide.depth, all.own + guide.own)
    }
    let n = Float(samples)
    irradiance[y * width + x] = sum / n
    guides[y * width + x] = (all.albedo / n, all.normal / n, all.depth / n, all.own / n)
  }
}
// What is left of the noise of chance: averaged where normal and depth are alike.
for step in [1, 2, 4] {
  let before = irradiance
  for y in 0..<height {
    for x in 0..<width {
      let own = guides[y * width + x]
      var (sum, weights) = (V.zero, Float(0))
      for j in -2...2 {
        for i in -2...2 {
          let (p, q) = (x + i * step, y + j * step)
          guard p >= 0, p < width, q >= 0, q < height else { continue }
          let other = guides[q * width + p]
          let apart = abs(own.depth - other.depth) / (0.04 * own.depth + 0.01)
          let level = before[q * width + p] - before[y * width + x]
          let weight = expf(-apart - 24 * (1 - min(1, dot(own.normal, other.normal))) - dot(level, level) * 0.7 - 0.12 * Float(i * i + j * j))
          sum += before[q * width + p] * weight
          weights += weight
        }
      }
      irradiance[y * width + x] = sum / weights
    }
  }
}
var out: [UInt8] = Array("P6\n\(width) \(height)\n255\n".utf8)
var grain = Chance(state: 99)
for index in 0..<width * height {
  let guide = guides[index]
  var value = (irradiance[index] * guide.albedo + guide.own) * (isDevice ? 0.55 : 0.5)
  // As a camera holds highlights.
  value = value * (value * 2.51 + V(repeating: 0.03)) / (value * (value * 2.43 + V(repeating: 0.59)) + V(repeating: 0.14))
  let noise = (grain.next() + grain.next() - 1) * (isDevice ? 0.008 : 0.02)
  for k in 0..<3 { out.append(UInt8(min(255, max(0, (powf(max(0, min(1, value[k])), 1 / 2.2) + noise) * 255)))) }
}
fwrite(out, 1, out.count, stdout)
