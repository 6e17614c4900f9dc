internal import CPlatform
internal import Dispatch
internal import Glibc
internal import PawlCore
internal import PawlWire

/// Something whose end also ends the daemon that aria2's command line has started.
enum Aria2Ending: Sendable {
    /// Another process.
    case process(Int32)
    case time(Duration)

    static func all(of launch: Aria2Launch?) -> [Aria2Ending] {
        [
            launch?.stopProcess.map { .process($0) },
            launch?.stopSeconds.map { .time(.seconds($0)) },
        ].compactMap(\.self)
    }

    /// Returns when it has ended, or when the task is cancelled.
    func wait() async {
        switch self {
        case .process(let identifier): await Self.waitForEnd(of: identifier)
        // A cancellation means that the daemon shuts down.
        case .time(let duration): try? await Task.sleep(for: duration)
        }
    }

    private static func waitForEnd(of process: Int32) async {
        let wakeup = Wakeup()
        let descriptor = pawl_open_process(process)
        guard descriptor >= 0 else {
            // Without pidfd_open(2), in some containers, the process cannot be watched.
            if errno != ESRCH { await wakeup.wait() }
            return
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
        source.setEventHandler { wakeup.send() }
        source.setCancelHandler { close(descriptor) }
        source.activate()
        await wakeup.wait()
        source.cancel()
    }
}
