internal import CBench
internal import Glibc

/// Files and folders, by path.
enum Files {
    static func text(_ path: String) throws -> String {
        guard let file = fopen(path, "re") else { throw BenchError.system("cannot read \(path)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            bytes += buffer[0..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func write(_ text: String, to path: String) throws {
        guard let file = fopen(path, "we") else { throw BenchError.system("cannot write \(path)") }
        fputs(text, file)
        guard fclose(file) == 0 else { throw BenchError.system("cannot write \(path)") }
    }

    static func lastLine(of text: String) -> String {
        text.split(separator: "\n").last.map(String.init) ?? "no message"
    }

    static func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o755) == 0 || errno == EEXIST
        else { throw BenchError.system("cannot create \(path)") }
    }

    /// Returns the folder of the running program.
    static func ownFolder() throws -> String {
        guard let path = realpath("/proc/self/exe", nil) else {
            throw BenchError.system("cannot find the benchmark's own program")
        }
        defer { free(path) }
        return String(cString: path).split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Returns the number of bytes that the file uses on the disk, which for a sparse file is less
    /// than its length.
    static func allocatedBytes(_ path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_blocks) * 512 : 0
    }

    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    static func rename(_ path: String, to new: String) throws {
        guard Glibc.rename(path, new) == 0 else {
            throw BenchError.system("cannot rename \(path)")
        }
    }

    /// Removes a file, or a folder with its content.
    static func remove(_ path: String) {
        guard unlink(path) != 0, errno == EISDIR || errno == EPERM else { return }
        for name in names(in: path) { remove(path + "/" + name) }
        rmdir(path)
    }
}
