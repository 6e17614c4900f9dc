internal import Pawl
internal import PawlCore

/// Shows what a mirror does on the console.
struct MirrorReporter: MirrorReporting {
    let shown: ShownTasks
    let errors: MirrorErrors
    let isQuiet: Bool

    func run(
        _ task: DownloadTask,
        _ file: ListedFile
    ) async -> Result<DownloadedFile, DownloadError> {
        await shown.run(
            task,
            id: shown.progress.request(),
            source: AddressParts(file.address).redacted,
            name: String(file.path.pathFile)
        )
    }

    func note(_ text: String) { if !isQuiet { shown.console.message("note: \(text)") } }

    func report(_ error: DownloadError, at location: String) { errors.report(error, at: location) }
}

/// Reports the errors of a mirror to people, and to programs.
struct MirrorErrors: Sendable {
    let console: Console
    let isJSON: Bool

    /// Reports an error at a path or a URL; `nil` is the mirror as a whole.
    func report(_ error: DownloadError, at location: String?) {
        var error = error
        // The options for names and folders are not those of a mirror.
        error.guidance = error.guidance
            .replacing(.otherName, with: "another folder")
            .replacing(.otherLocation, with: "another folder")
            .replacing(.otherFileSystem, with: "a folder on another file system")
            .replacing(.folder, with: "the folder")
            .replacing(.ifExists, with: "rename the existing file")
        let location = location.map { location in
            let isURL = URLScheme(of: AddressParts(location).scheme) != nil
            return (isURL ? AddressParts(location).redacted : location).sanitized(atMost: 300)
        }
        console.report(error, of: location)
        if isJSON { console.output(JSONOutput.line(MirrorErrorEvent(error, at: location)) + "\n") }
    }
}

extension MirrorCounts {
    /// What is shown while files are compared.
    var status: String {
        "\(Self.count(files, "file")) and \(Self.count(folders, "folder")) compared"
    }

    /// The result of a run.
    var summary: String {
        var parts: [String] = []
        if new > 0 { parts.append("\(new) new") }
        if changed > 0 { parts.append("\(changed) changed") }
        if unchanged > 0 { parts.append("\(unchanged) unchanged") }
        if kept > 0 { parts.append("\(kept) kept as they were") }
        if failed > 0 { parts.append("\(failed) failed") }
        let fetched = bytes > 0 ? "; \(ByteText.size(bytes)) fetched" : ""
        let found = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
        return Self.count(files, "file") + found + fetched
    }

    static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}

/// The last line of a mirror for programs; `docs/progress-json.md` describes it.
struct MirroredEvent: Encodable {
    var event = "mirrored"
    var folders: Int
    var new: Int
    var changed: Int
    var unchanged: Int
    var kept: Int
    var failed: Int
    var bytes: Int64
    /// The number of files that are no longer on the server; null if that is not known.
    @Nullable var vanished: Int?
    var deleted: Int

    init(_ counts: MirrorCounts, vanished: Int?, deleted: Int) {
        folders = counts.folders
        new = counts.new
        changed = counts.changed
        unchanged = counts.unchanged
        kept = counts.kept
        failed = counts.failed
        bytes = counts.bytes
        self.vanished = vanished
        self.deleted = deleted
    }
}

/// An error of a mirror for programs; `docs/progress-json.md` describes it.
struct MirrorErrorEvent: Encodable {
    var event = "error"
    /// The path or the URL at which the error occurred; null if that is the whole mirror.
    @Nullable var path: String?
    var code: String
    var message: String
    var exit: Int32

    init(_ error: DownloadError, at location: String?) {
        path = location
        code = error.code.rawValue
        message = error.text(for: .command)
        exit = error.code.exitStatus
    }
}
