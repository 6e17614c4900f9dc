internal import Glibc
internal import PawlCore

/// The running program.
enum OwnProgram {
    /// The path of its file; `nil` if the system does not report it.
    static let path: String? = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let bytes = buffer.prefix(count).map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }()

    /// The name of its file; `pawl` if the system does not report it.
    static let name = path?.pathNames.last.map(String.init) ?? "pawl"

    /// The folder of its file.
    static let folder = path.map { String(Substring($0.pathFolder.utf8.dropLast())) }
}
