/// Sums the work time of the busiest thread from one observation to the next.
package struct ThreadLoad: Sendable {
    private var last: [Duration] = []
    private var sum = Duration.zero

    package init() {}

    /// Adds an observation.
    ///
    /// `times` are the total work times of the threads.
    package mutating func observe(_ times: [Duration]) -> Duration {
        // A thread that began since the last observation changes the positions of the others, so
        // they cannot be compared.
        if times.count == last.count {
            sum += zip(times, last).map { $0 - $1 }.max() ?? .zero
        }
        last = times
        return sum
    }
}
