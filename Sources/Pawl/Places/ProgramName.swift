internal import Glibc

/// What this program is called.
enum ProgramName {
    /// The name of its file; `pawl` where the system does not tell.
    static let current: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let bytes = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        let path = String(decoding: bytes, as: UTF8.self)
        return path.split(separator: "/").last.map(String.init) ?? "pawl"
    }()
}
