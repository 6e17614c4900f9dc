import Glibc
import PawlStorage
import SystemPackage

/// A folder for one test, removed with its last owner.
final class StorageFolder: Sendable {
    let path: FilePath

    init() throws {
        var template = Array("/tmp/pawl-storage-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        path = FilePath(platformString: template)
    }

    deinit { Self.removeTree(path) }

    private static func removeTree(_ path: FilePath) {
        for name in names(path) where unlink(path.appending(name).string) != 0 {
            removeTree(path.appending(name))
        }
        rmdir(path.string)
    }

    /// All names in the folder, sorted.
    var names: [String] { Self.names(path) }

    private static func names(_ path: FilePath) -> [String] {
        guard let stream = opendir(path.string) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { raw in
                String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func paths(_ name: String = "disk.iso") -> DownloadPaths { DownloadPaths(path.appending(name)) }

    func put(_ bytes: [UInt8], _ name: String) throws {
        let file = try FileDescriptor.open(
            path.appending(name),
            .writeOnly,
            options: [.create, .truncate],
            permissions: [.ownerReadWrite, .groupRead]
        )
        try file.closeAfter { _ = try file.writeAll(bytes) }
    }

    func bytes(_ name: String) throws -> [UInt8] { try readBytes(path.appending(name)) }
}

func readBytes(_ path: FilePath) throws -> [UInt8] {
    let file = try FileDescriptor.open(path, .readOnly)
    return try file.closeAfter {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = try piece.withUnsafeMutableBytes { try file.read(into: $0) }
            if count == 0 { return all }
            all += piece[..<count]
        }
    }
}

extension StorageFolder {
    func rename(_ old: String, to new: String) throws {
        guard Glibc.rename(path.appending(old).string, path.appending(new).string) == 0 else {
            throw Errno(rawValue: errno)
        }
    }

    func remove(_ name: String) throws {
        guard unlink(path.appending(name).string) == 0 else { throw Errno(rawValue: errno) }
    }

    func makeLink(_ name: String, to target: String) throws {
        guard symlink(target, path.appending(name).string) == 0 else {
            throw Errno(rawValue: errno)
        }
    }

    func makeFolder(_ name: String) throws {
        guard mkdir(path.appending(name).string, 0o755) == 0 else { throw Errno(rawValue: errno) }
    }

    func cut(_ name: String, to size: Int) throws {
        guard truncate(path.appending(name).string, size) == 0 else {
            throw Errno(rawValue: errno)
        }
    }

    /// Changes bytes in place.
    func overwrite(_ name: String, at offset: Int64, _ bytes: [UInt8]) throws {
        let file = try FileDescriptor.open(path.appending(name), .writeOnly)
        _ = try file.closeAfter { try file.writeAll(toAbsoluteOffset: offset, bytes) }
    }
}
