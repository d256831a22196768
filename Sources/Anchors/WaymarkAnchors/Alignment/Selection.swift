extension UnsafeMutablePointer<Float> {
  /// Orders the first `n` numbers so far that the one that belongs at place `k` stands there, no greater one before it and
  /// no smaller one behind (C. Hoare, "Find", CACM 4 (1961)). Sorting all would take memory.
  func select(_ k: Int, of n: Int) {
    var (low, high) = (0, n - 1)
    while low < high {
      let pivot = self[(low + high) / 2]
      var (i, j) = (low, high)
      while i <= j {
        while self[i] < pivot { i += 1 }
        while self[j] > pivot { j -= 1 }
        guard i <= j else { break }
        (self[i], self[j]) = (self[j], self[i])
        i += 1
        j -= 1
      }
      if k <= j { high = j } else if k >= i { low = i } else { return }
    }
  }
}
