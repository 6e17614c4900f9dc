/// A pause that lets other tests run during a long computation.
///
/// All tests share one thread per core. Without the pause, tests that measure time or wait for a
/// server would stop for seconds.
package struct Breath {
    private let clock = ContinuousClock()
    private var last = ContinuousClock.now

    package init() {}

    package mutating func take() async {
        guard clock.now - last > .milliseconds(20) else { return }
        await Task.yield()
        last = clock.now
    }
}
