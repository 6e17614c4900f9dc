/// Adds up what the busiest of some threads has worked from one look to the next.
package struct ThreadLoad: Sendable {
    private var last: [Duration] = []
    private var sum = Duration.zero

    package init() {}

    /// `times`: how long each has worked so far.
    package mutating func observe(_ times: [Duration]) -> Duration {
        // A thread that began since the last look moves the others' places: no comparison then.
        if times.count == last.count {
            sum += zip(times, last).map { $0 - $1 }.max() ?? .zero
        }
        last = times
        return sum
    }
}
