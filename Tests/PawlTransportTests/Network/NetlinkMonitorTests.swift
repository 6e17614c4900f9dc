import PawlCore
import PawlTesting
import PawlTransport
import Testing

/// The monitor on this machine, whatever its network.
@Suite(.timeLimit(.minutes(5)))
struct NetlinkMonitorTests {
    @Test func `the monitor starts with its first observer and ends with shutDown`() async {
        let monitor = NetlinkMonitor(commands: [])
        #expect(!monitor.isRunning)
        let told = Observed<[NetworkPath]>([])
        let first = monitor.observe(asksWhetherMetered: false) { path in
            told.update { $0.append(path) }
        }
        #expect(monitor.isRunning)
        await told.wait { !$0.isEmpty }
        // Another observer is called at once, because the state is known.
        let late = Observed<[NetworkPath]>([])
        let second = monitor.observe(asksWhetherMetered: false) { path in
            late.update { $0.append(path) }
        }
        #expect(late.value.count == 1)
        #expect(told.value.first?.localAddresses.contains { $0.isLoopback } == true)
        first.end()
        second.end()
        monitor.shutDown()
        #expect(!monitor.isRunning)
        let after = Observed<[NetworkPath]>([])
        monitor.observe(asksWhetherMetered: true) { path in after.update { $0.append(path) } }.end()
        #expect(after.value == [.unknown], "an observer after shutDown is called at once")
    }

    @Test func `the monitor ends with its owner`() async {
        let told = Observed(0)
        var monitor: NetlinkMonitor? = NetlinkMonitor(commands: [])
        let observation = monitor?.observe(asksWhetherMetered: false) { _ in
            told.update { $0 += 1 }
        }
        await told.wait { $0 > 0 }
        // Waits for the thread.
        monitor = nil
        observation?.end()
        #expect(told.value > 0)
    }

    @Test func `the current path needs no observer`() {
        let monitor = NetlinkMonitor(commands: [])
        let path = monitor.current()
        #expect(!monitor.isRunning)
        #expect(path.localAddresses.contains { $0.isLoopback })
    }

    @Test func `without system support everything counts as reachable`() {
        let told = Observed<[NetworkPath]>([])
        let nobody = AlwaysReachable()
        let observation = nobody.observe(asksWhetherMetered: true) { path in
            told.update { $0.append(path) }
        }
        observation.end()
        #expect(told.value == [.unknown])
        #expect(nobody.current().hasRoute)
        #expect(nobody.current().isMetered == nil)
    }
}
