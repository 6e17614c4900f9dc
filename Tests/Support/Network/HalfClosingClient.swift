import Glibc
import SystemPackage

/// A client that sends a request, closes its sending side, and reads until the server closes the
/// other.
public enum HalfClosingClient {
    /// Sends a request to a server on this machine and returns its response.
    public static func exchange(_ request: String, port: Int) async throws -> String {
        let result: Result<String, Errno> = await withCheckedContinuation { continuation in
            do throws(Errno) {
                try BlockingThread.start {
                    continuation.resume(returning: answer(Array(request.utf8), UInt16(port)))
                }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try result.get()
    }

    private static func answer(_ request: [UInt8], _ port: UInt16) -> Result<String, Errno> {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { return .failure(Errno(rawValue: errno)) }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return .failure(Errno(rawValue: errno)) }
        let channel = ByteChannel(descriptor: descriptor)
        // A server that has read enough may close early; its response counts.
        try? channel.send(request)
        shutdown(descriptor, Int32(SHUT_WR))
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while let count = try? buffer.withUnsafeMutableBytes({ (bytes) throws(ConnectionEnd) in
            try channel.receive(into: bytes)
        }), count > 0 {
            answer += buffer[..<count]
        }
        return .success(String(decoding: answer, as: UTF8.self))
    }
}
