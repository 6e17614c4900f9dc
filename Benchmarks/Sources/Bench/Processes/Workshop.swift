internal import Glibc

/// Where the benchmark works: its scratch folder, the programs, and what must be undone at the end.
final class Workshop {
    let settings: BenchSettings
    /// The scratch folder, on the disk that is measured.
    let root: String
    /// The same for every program that is started: no configuration of the user, no proxy.
    let environment: [String]
    var shared = SharedThings()
    private var undoings: [() -> Void] = []

    init(_ settings: BenchSettings) throws {
        self.settings = settings
        let path = try Self.makeScratchFolder(in: settings.folder)
        root = path
        environment = [
            "PATH=" + (getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin")
                + ":/usr/sbin:/sbin",
            "HOME=" + path + "/home", "TMPDIR=" + path, "LC_ALL=C",
        ]
        undoings.append { Files.remove(path) }
        for folder in [contents, downloads, path + "/home"] { try Files.makeFolder(folder) }
    }

    /// What the servers serve.
    var contents: String { root + "/contents" }
    /// Where the tools write, emptied before each run.
    var downloads: String { root + "/downloads" }

    /// Has something done when all is over, the last one first.
    func atEnd(_ undoing: @escaping () -> Void) { undoings.append(undoing) }

    func close() {
        while let undoing = undoings.popLast() { undoing() }
    }

    /// Empties the downloads, and has all that was written before reach the disk, so that no run
    /// pays for another's.
    func clearDownloads() throws {
        Files.remove(downloads)
        try Files.makeFolder(downloads)
        if settings.syncs { sync() }
    }

    private static func makeScratchFolder(in folder: String) throws -> String {
        let template = strdup(folder + "/pawl-bench.XXXXXX")
        defer { free(template) }
        guard let template, let path = mkdtemp(template), let full = realpath(path, nil)
        else { throw BenchError.system("cannot make a folder in \(folder)") }
        defer { free(full) }
        // nginx's workers may run as another user.
        chmod(full, 0o755)
        return String(cString: full)
    }
}
