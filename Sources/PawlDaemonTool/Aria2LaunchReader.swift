internal import Glibc
internal import PawlCore
internal import PawlWire

/// Reads what the program `aria2c` has written into a pipe for the daemon.
enum Aria2LaunchReader {
    static func read(_ descriptor: Int32) throws(DownloadError) -> Aria2Launch {
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return try WireJSON.decode(Aria2Launch.self, from: bytes)
    }
}
