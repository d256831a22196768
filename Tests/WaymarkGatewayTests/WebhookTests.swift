import Testing
import WaymarkSystem

@testable import waymark_gateway

@Suite("Webhooks")
struct WebhookTests {
  @Test("Each event arrives once and in order, whatever the receiver does, and none stays for good")
  func order() {
    var generator = SplitMix(state: 11)
    var delivery = WebhookDelivery(acknowledged: 0, attempts: 3)
    var now = 0.0
    var received: [UInt64] = []
    var aside: [UInt64] = []
    let refused: Set<UInt64> = [5, 17]
    var steps = 0
    while delivery.acknowledged < 40 {
      steps += 1
      guard steps < 10_000 else { break }
      switch delivery.step(now: now) {
      case .rest(let seconds):
        #expect(seconds <= 300)
        now += seconds
      case .send(let after):
        let number = after + 1
        let outcome: WebhookDelivery.Outcome =
          if refused.contains(number) { .refused(422) } else if Int.random(in: 0..<3, using: &generator) == 0 {
            .failed("away")
          } else { .delivered }
        if outcome == .delivered { received.append(number) }
        if case .putAside(let one, 422) = delivery.finished(number, outcome, now: now, chance: 1) { aside.append(one) }
      }
    }
    #expect(received == (1...40).filter { !refused.contains($0) })
    #expect(aside == [5, 17])
  }

  @Test("An outage is waited out, longer each time, and the event is never given up")
  func outage() {
    var delivery = WebhookDelivery(acknowledged: 7, attempts: 2)
    var now = 0.0
    var waits: [Double] = []
    for _ in 0..<20 {
      #expect(delivery.step(now: now) == .send(after: 7))
      #expect(delivery.finished(8, .failed("away"), now: now, chance: 1) == .again)
      guard case .rest(let seconds) = delivery.step(now: now) else { return }
      waits.append(seconds)
      now += seconds
    }
    #expect(Array(waits.prefix(4)) == [1, 2, 4, 8])
    #expect(waits.last == 300)
    #expect(delivery.lastFailure == "away")
    #expect(delivery.finished(8, .delivered, now: now) == .acknowledge(8))
    #expect(delivery.step(now: now) == .send(after: 8))
  }

  @Test("Refusals are counted for each event", arguments: [1, 2, 5])
  func refusals(attempts: Int) {
    var delivery = WebhookDelivery(acknowledged: 0, attempts: attempts)
    for number: UInt64 in 1...3 {
      for attempt in 1...attempts {
        let verdict = delivery.finished(number, .refused(400), now: 0, chance: 1)
        #expect(verdict == (attempt == attempts ? .putAside(number, status: 400) : .again))
      }
    }
  }

  @Test("What a later attempt may change is a failure, and no refusal")
  func statuses() {
    for status in [200, 202, 204] { #expect(WebhookDelivery.outcome(of: status) == .delivered) }
    for status in [400, 401, 404, 410, 413, 422] { #expect(WebhookDelivery.outcome(of: status) == .refused(status)) }
    for status in [301, 408, 425, 429, 500, 503] {
      #expect(WebhookDelivery.outcome(of: status) == .failed("it answered \(status)"))
    }
  }

  /// `printf '1700000000.{"event":"scan.confirmed"}' | openssl dgst -sha256 -hmac 'a-secret-of-sixteen'`
  @Test("The signature is the one that other programs make")
  func signature() {
    let body = Array(#"{"event":"scan.confirmed"}"#.utf8)
    #expect(
      WebhookSignature.of(body, timestamp: 1_700_000_000, secret: "a-secret-of-sixteen")
        == "v1=adc01f83ff79ed7c0579750be2d9201dc8ab77fc00a0ed37ea8f0baf5013be33")
  }

  @Test("Addresses are https, or http on this device")
  func addresses() {
    let full = WebhookAddress("https://Hooks.example:8443/a/b?c=d")
    #expect(full?.host == "hooks.example")
    #expect(full?.port == 8443)
    #expect(full?.authority == "hooks.example:8443")
    #expect(full?.target == "/a/b?c=d")
    #expect(WebhookAddress("https://hooks.example")?.target == "/")
    #expect(WebhookAddress("http://[::1]:9/")?.host == "::1")
    #expect(WebhookAddress("http://127.0.0.1:8080/x") != nil)
    for text in [
      "http://hooks.example/", "ftp://a/", "https://", "https://a b/", "https://a/\r\nX: y", "https://u:p@a/",
      "https://a:0/", "https://a:99999/", "https://a/#b", "",
    ] {
      #expect(WebhookAddress(text) == nil, "\(text)")
    }
  }
}
