internal import CPlatform
internal import Glibc
package import SystemPackage

/// The reason why an extended attribute could not be read or written.
package enum AttributeFailure: Error, Hashable, Sendable {
    /// The file system supports no attributes, or none of this kind, or the file cannot have any.
    case notSupportedHere
    /// The file has no attribute of that name.
    case absent
    /// The value is longer than the file system allows, or there is no space left for it.
    case tooLarge
    case failed(Errno)

    fileprivate init(_ number: Errno) {
        self =
            switch number {
            case .notSupportedOnSocket, .notSupported, .noFunction: .notSupportedHere
            case .noData: .absent
            case .outOfRange, .noSpace, .argListTooLong, .diskQuotaExceeded: .tooLarge
            // Links and devices cannot have user attributes (`xattr(7)`).
            case .notPermitted: .notSupportedHere
            default: .failed(number)
            }
    }
}

/// Reads and writes user attributes, which a file system stores with a file (`xattr(7)`).
package enum ExtendedAttributes {
    private static let longestList = 64 * 1024
    private static let longestValue = 64 * 1024

    /// Returns all names that begin with `user.`, sorted.
    package static func names(of path: FilePath) throws(AttributeFailure) -> [String] {
        try names(of: open(path, O_RDONLY))
    }

    package static func read(
        _ name: String,
        of path: FilePath
    ) throws(AttributeFailure) -> [UInt8] {
        try read(name, of: open(path, O_RDONLY))
    }

    /// Writes a value, replacing an old one.
    package static func write(
        _ value: [UInt8],
        _ name: String,
        on path: FilePath
    ) throws(AttributeFailure) {
        try write(value, name, on: open(path, O_RDONLY))
    }

    package static func remove(_ name: String, of path: FilePath) throws(AttributeFailure) {
        let file = try open(path, O_RDONLY)
        try call { () throws(Errno) in try retrying { fremovexattr(file.descriptor, name) } }
    }

    static func names(of file: OpenFile) throws(AttributeFailure) -> [String] {
        var list = [CChar](repeating: 0, count: longestList)
        let count = flistxattr(file.descriptor, &list, list.count)
        guard count >= 0 else { throw AttributeFailure(.last) }
        let names = list.prefix(count).split(separator: 0).compactMap { name in
            String(validating: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return names.filter { $0.hasPrefix("user.") }.sorted()
    }

    static func read(_ name: String, of file: OpenFile) throws(AttributeFailure) -> [UInt8] {
        var value = [UInt8](repeating: 0, count: longestValue)
        let count = fgetxattr(file.descriptor, name, &value, value.count)
        guard count >= 0 else { throw AttributeFailure(.last) }
        return Array(value.prefix(count))
    }

    static func write(
        _ value: [UInt8],
        _ name: String,
        on file: OpenFile
    ) throws(AttributeFailure) {
        try call { () throws(Errno) in
            try retrying { fsetxattr(file.descriptor, name, value, value.count, 0) }
        }
    }

    private static func open(_ path: FilePath, _ flags: Int32) throws(AttributeFailure) -> OpenFile
    {
        try call { () throws(Errno) in try OpenFile(path, flags | O_NONBLOCK) }
    }

    @discardableResult
    private static func call<T>(_ body: () throws(Errno) -> T) throws(AttributeFailure) -> T {
        do { return try body() } catch { throw AttributeFailure(error) }
    }
}
