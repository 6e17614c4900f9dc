internal import Glibc

/// The benchmark's environment: its scratch folder, the programs, and the actions at the end.
final class Workshop {
    let settings: BenchSettings
    /// The scratch folder, on the measured disk.
    let root: String
    /// The environment of all programs, without the user's configuration and without a proxy.
    let environment: [String]
    var shared = SharedThings()
    private var undoings: [() -> Void] = []
    private var formerCount = 0

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

    /// The files that the servers serve.
    var contents: String { root + "/contents" }
    /// The folder in which the tools write, emptied before each run.
    var downloads: String { root + "/downloads" }

    /// Adds a closure to run at the end; the last one runs first.
    func atEnd(_ undoing: @escaping () -> Void) { undoings.append(undoing) }

    func close() {
        while let undoing = undoings.popLast() { undoing() }
    }

    /// Empties the downloads and syncs the disk, so that no run is slowed down by earlier writes.
    ///
    /// With `keepsFiles`, the files of earlier runs remain until the end: ext4 without a journal does
    /// not use the inode of a removed file again for minutes, and takes long to find others.
    func clearDownloads(keepsFiles: Bool = false) throws {
        if keepsFiles {
            try Files.rename(downloads, to: root + "/former-\(formerCount)")
            formerCount += 1
        } else {
            Files.remove(downloads)
        }
        try Files.makeFolder(downloads)
        // No program begins with what it has learned in an earlier run.
        Files.remove(root + "/home/.cache")
        if settings.syncs { sync() }
    }

    private static func makeScratchFolder(in folder: String) throws -> String {
        let template = strdup(folder + "/pawl-bench.XXXXXX")
        defer { free(template) }
        guard let template, let path = mkdtemp(template), let full = realpath(path, nil)
        else { throw BenchError.system("cannot create a folder in \(folder)") }
        defer { free(full) }
        // nginx's workers may run as another user.
        chmod(full, 0o755)
        return String(cString: full)
    }
}
