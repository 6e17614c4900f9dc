/// Lets other tests run now and then during a long computation.
///
/// All tests share a thread for each core: without this, those that measure time or wait for a server
/// would stand still for seconds.
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
