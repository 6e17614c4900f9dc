internal import CPlatform
internal import Glibc
package import SystemPackage

/// Starts a separate thread for work that mostly waits for the system.
package enum DetachedThread {
    /// Runs `body` on a new thread, which ends with it.
    ///
    /// The system keeps at most 15 bytes of the name.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(Errno)
    {
        let code = spawn(ThreadBody(name: name, body: body))
        guard code == 0 else { throw Errno(rawValue: code) }
    }

    private static func spawn(_ start: ThreadBody) -> Int32 {
        let start = Unmanaged.passRetained(start)
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { ThreadEntry.run($0) }, start.toOpaque())
        if code == 0 { pthread_detach(thread) } else { start.release() }
        return code
    }
}

/// The arguments of a new thread.
private final class ThreadBody: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private enum ThreadEntry {
    static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        let start = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
        pawl_name_this_thread(start.name)
        start.body()
        return nil
    }
}
