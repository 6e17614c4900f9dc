/// Different values in order.
///
/// What comes at the end, as new downloads do, costs nothing more; the others move what is behind.
struct SortedList<Value: Comparable & Sendable>: Sendable {
    private var values: [Value] = []

    var count: Int { values.count }
    var first: Value? { values.first }

    subscript(index: Int) -> Value { values[index] }

    mutating func insert(_ value: Value) {
        if let last = values.last, last < value { return values.append(value) }
        let index = place(of: value)
        guard index == values.endIndex || values[index] != value else { return }
        values.insert(value, at: index)
    }

    mutating func remove(_ value: Value) {
        let index = place(of: value)
        if index < values.endIndex, values[index] == value { values.remove(at: index) }
    }

    mutating func remove(at index: Int) { values.remove(at: index) }

    /// Where the value is, or would be.
    private func place(of value: Value) -> Int {
        var (low, high) = (values.startIndex, values.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if values[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
