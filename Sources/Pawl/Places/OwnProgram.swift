internal import Glibc

/// The program that runs.
enum OwnProgram {
    /// Of its file; nil where the system does not tell.
    static let path: String? = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let bytes = buffer.prefix(count).map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }()

    /// Of its file; `pawl` where the system does not tell.
    static let name = path?.split(separator: "/").last.map(String.init) ?? "pawl"

    /// Where its file lies.
    static let folder = path.flatMap { path in
        path.lastIndex(of: "/").map { String(path[..<$0]) }
    }
}
