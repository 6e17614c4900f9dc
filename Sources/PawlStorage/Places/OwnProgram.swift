#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif
internal import PawlCore

/// The running program.
package enum OwnProgram {
    /// The path of its file; `nil` if the system does not report it.
    package static let path: String? = {
        var buffer = [CChar](repeating: 0, count: 4096)
        #if canImport(Darwin)
        var size = UInt32(buffer.count)
        guard _NSGetExecutablePath(&buffer, &size) == 0 else { return nil }
        let count = buffer.firstIndex(of: 0) ?? 0
        #else
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        #endif
        guard count > 0 else { return nil }
        let bytes = buffer.prefix(count).map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }()

    /// The name of its file; `pawl` if the system does not report it.
    package static let name = path?.pathNames.last.map(String.init) ?? "pawl"

    /// The folder of its file.
    package static let folder = path.map { String(Substring($0.pathFolder.utf8.dropLast())) }
}
