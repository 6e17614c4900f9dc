import Glibc
package import SystemPackage

/// A test's own folder, which is removed with its contents when the object is released.
package final class ScratchFolder: Sendable {
    /// The absolute path, without a trailing slash.
    package let path: String

    /// Creates the folder within another folder, by default TMPDIR or /tmp.
    ///
    /// Throws `Errno`.
    package init(in parent: String? = nil) throws(Errno) {
        let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/pawl-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        path = template.withUnsafeBytes { bytes in
            String(decoding: bytes.dropLast(), as: UTF8.self)
        }
    }

    /// Creates the folder in memory, where a sync costs nothing, for hundreds of runs.
    ///
    /// Throws `Errno`.
    package static func inMemory() throws(Errno) -> ScratchFolder {
        let memory = "/dev/shm"
        return try ScratchFolder(in: access(memory, W_OK | X_OK) == 0 ? memory : nil)
    }

    deinit { FileTree.remove(path) }

    /// Returns the path of an entry.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Returns the sorted names in the folder or in one within it, including hidden names.
    package func list(_ name: String = ".") -> [String] {
        FileTree.names(in: path(name)).sorted()
    }

    package func exists(_ name: String) -> Bool {
        var status = stat()
        return lstat(path(name), &status) == 0
    }

    /// Returns the length in bytes, or `nil` if the file does not exist.
    package func size(_ name: String) -> Int64? {
        // Whatever the error is, the length is unknown.
        try? FileLength.ofFile(at: path(name))
    }

    /// Reads all bytes of a file.
    ///
    /// Throws `Errno`.
    package func read(_ name: String) throws -> [UInt8] {
        let file = try FileDescriptor.open(FilePath(path(name)), .readOnly)
        // Closing a file that was only read cannot lose data.
        defer { try? file.close() }
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try file.read(into: buffer)
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: buffer[0..<count])
        }
    }

    package func readText(_ name: String) throws -> String {
        String(decoding: try read(name), as: UTF8.self)
    }

    /// Writes a file, replaces any previous contents, and returns the path.
    ///
    /// Throws `Errno`.
    @discardableResult
    package func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = try FileDescriptor.open(
            FilePath(path(name)),
            .writeOnly,
            options: [.create, .truncate],
            permissions: [.ownerReadWrite, .groupRead, .otherRead]
        )
        try file.closeAfter { _ = try file.writeAll(bytes) }
        return path(name)
    }

    /// Writes a file, replaces any previous contents, and returns the path.
    ///
    /// Throws `Errno`.
    @discardableResult
    package func write(_ name: String, _ text: String) throws -> String {
        try write(name, Array(text.utf8))
    }

    /// Creates a folder within this one and returns its path.
    ///
    /// Throws `Errno`.
    @discardableResult
    package func makeFolder(_ name: String) throws(Errno) -> String {
        guard mkdir(path(name), 0o755) == 0 else { throw Errno(rawValue: errno) }
        return path(name)
    }

    /// Sets the permissions of an entry, or of the folder itself if the name is `.`.
    ///
    /// Throws `Errno`.
    package func setPermissions(_ name: String, _ mode: UInt32) throws(Errno) {
        guard chmod(path(name), mode_t(mode)) == 0 else { throw Errno(rawValue: errno) }
    }
}

/// Operations on whole folders.
enum FileTree {
    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes what can be removed; a test's result does not depend on it.
    static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        // A test may have removed its own permission.
        chmod(path, 0o700)
        for name in names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }
}
