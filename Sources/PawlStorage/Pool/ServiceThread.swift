internal import CPlatform
internal import Glibc
package import SystemPackage

/// Starts a separate thread for work that mostly waits for the system.
package enum ServiceThread {
    /// Runs `body` on a new thread, which ends with it.
    ///
    /// The system keeps at most 15 bytes of the name.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(Errno)
    {
        let code = spawn(ServiceSeat(name: name, body: body))
        guard code == 0 else { throw Errno(rawValue: code) }
    }

    private static func spawn(_ seat: ServiceSeat) -> Int32 {
        let seat = Unmanaged.passRetained(seat)
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { ServiceEntry.run($0) }, seat.toOpaque())
        if code == 0 { pthread_detach(thread) } else { seat.release() }
        return code
    }
}

/// The arguments of a new thread.
private final class ServiceSeat: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private enum ServiceEntry {
    static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        let seat = Unmanaged<ServiceSeat>.fromOpaque(argument).takeRetainedValue()
        pawl_name_this_thread(seat.name)
        seat.body()
        return nil
    }
}
