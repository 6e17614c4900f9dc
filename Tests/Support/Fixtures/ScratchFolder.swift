import Glibc
package import SystemPackage

/// A folder of a test's own, removed with all that is in it when it is let go.
package final class ScratchFolder: Sendable {
    /// Absolute, without a slash at its end.
    package let path: String

    /// Makes the folder within another one: by default TMPDIR, or /tmp.
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

    /// Makes the folder where a sync costs nothing: for runs by the hundred.
    ///
    /// Throws `Errno`.
    package static func inMemory() throws(Errno) -> ScratchFolder {
        let memory = "/dev/shm"
        return try ScratchFolder(in: access(memory, W_OK | X_OK) == 0 ? memory : nil)
    }

    deinit { FileTree.remove(path) }

    /// The path of an entry.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// The names in the folder, or in one within it, hidden ones too, sorted.
    package func list(_ name: String = ".") -> [String] {
        FileTree.names(in: path(name)).sorted()
    }

    package func exists(_ name: String) -> Bool {
        var status = stat()
        return lstat(path(name), &status) == 0
    }

    /// The length in bytes; nil where there is no such file.
    package func size(_ name: String) -> Int64? {
        // Whatever the reason, there is no length to tell.
        try? FileLength.ofFile(at: path(name))
    }

    /// All bytes of a file.
    ///
    /// Throws `Errno`.
    package func read(_ name: String) throws -> [UInt8] {
        let file = try FileDescriptor.open(FilePath(path(name)), .readOnly)
        // Closing a file that was only read cannot lose anything.
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

    /// Writes a file anew; returns its path.
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

    /// Writes a file anew; returns its path.
    ///
    /// Throws `Errno`.
    @discardableResult
    package func write(_ name: String, _ text: String) throws -> String {
        try write(name, Array(text.utf8))
    }

    /// Makes a folder within; returns its path.
    ///
    /// Throws `Errno`.
    @discardableResult
    package func makeFolder(_ name: String) throws(Errno) -> String {
        guard mkdir(path(name), 0o755) == 0 else { throw Errno(rawValue: errno) }
        return path(name)
    }

    /// Sets the permissions of an entry, of the folder itself by `.`.
    ///
    /// Throws `Errno`.
    package func setPermissions(_ name: String, _ mode: UInt32) throws(Errno) {
        guard chmod(path(name), mode_t(mode)) == 0 else { throw Errno(rawValue: errno) }
    }
}

/// What tests do with whole folders.
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

    /// Removes what it can: a test's result does not depend on it.
    static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        // A test may have taken its own permission away.
        chmod(path, 0o700)
        for name in names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }
}
