internal import Glibc

/// TCP ports of 127.0.0.1.
enum Port {
    /// Returns a port that is not in use.
    static func free() throws -> UInt16 {
        let listener = try Listener()
        listener.close()
        return listener.port
    }
}
