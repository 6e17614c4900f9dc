internal import CPlatform
internal import Dispatch
internal import Glibc
internal import PawlCore

/// Something whose end also ends this process.
package enum StopCondition: Sendable, Hashable {
    /// Another process.
    case process(Int32)
    case time(Duration)

    /// - Parameters:
    ///   - process: The process; `nil` for none.
    ///   - seconds: The number of seconds from now; `nil` for no limit.
    package static func all(process: Int32?, seconds: Int?) -> [StopCondition] {
        [process.map { .process($0) }, seconds.map { .time(.seconds($0)) }].compactMap(\.self)
    }

    /// Returns when one of them has ended, or when the task is cancelled.
    package static func waitForFirst(_ conditions: [StopCondition]) async {
        await withTaskGroup(of: Void.self) { group in
            for condition in conditions { group.addTask { await condition.wait() } }
            await group.next()
            group.cancelAll()
        }
    }

    /// Returns when it has ended, or when the task is cancelled.
    package func wait() async {
        switch self {
        case .process(let identifier): await Self.waitForEnd(of: identifier)
        // A cancellation means that the process ends by itself.
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
