internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Unpacks a finished archive into a new folder beside it, with `bsdtar` of libarchive.
package struct ArchiveUnpacking: Sendable {
    /// The path of the archive.
    private let path: String
    /// `nil` stands for those of the disk.
    private let limits: UnpackingLimits?

    package init(path: String, limits: UnpackingLimits? = nil) {
        (self.path, self.limits) = (path, limits)
    }

    /// The endings that are not part of the folder's name, the longest first.
    private static let endings = [
        ".tar.bz2", ".tar.zst", ".tar.gz", ".tar.xz", ".tar.lz", ".tbz2", ".cpio", ".tgz", ".txz",
        ".tar", ".zip", ".rar", ".iso", ".deb", ".rpm", ".jar", ".7z",
    ]
    /// More than enough for any archive.
    private static let timeLimit: Duration = .seconds(24 * 3600)
    /// The minimum time between two looks at what was unpacked.
    private static let checkInterval: Duration = .milliseconds(500)

    /// The name of the folder, unless it is taken.
    private var folderName: String {
        let name = String(path.pathFile)
        let ending = Self.endings.first { name.lowercased().hasSuffix($0) } ?? ""
        let stem = String(name.dropLast(ending.count))
        return ending.isEmpty || stem.isEmpty ? name + ".files" : stem
    }

    /// How the program has ended, and the path of the folder if all files are in it.
    package struct Result: Sendable {
        package var end: ProgramRun.End
        package var folder: String?
    }

    /// Unpacks the archive.
    ///
    /// The folder gets its name only when all files are in it; what is incomplete is removed. The
    /// program refuses absolute paths, `..`, and paths that lead through links of the archive. An
    /// archive with a device file, a FIFO or a socket is refused before anything is unpacked.
    ///
    /// - Parameters:
    ///   - output: The file for what the program prints.
    ///   - willFinish: Called with the identity of the folder before it gets its name.
    package func run(
        _ output: Int32,
        willFinish: (_ identity: String) async -> Void = { _ in }
    ) async -> Result {
        let draft: DraftFolder
        do throws(DownloadError) {
            draft = try DraftFolder.make(in: parent)
        } catch {
            return Result(end: .failure("failed: \(error.message)"))
        }
        let limits = limits ?? UnpackingLimits(freeBytes: FileSystemSpace(of: parent)?.freeBytes)
        var end = await check(draft, within: limits, output)
        if end.isSuccess { end = await fill(draft, within: limits, output) }
        // What the program has written last was not looked at.
        if end.isSuccess, let problem = limits.problem(draft) { end = .failure(problem) }
        if end.isSuccess {
            if let identity = draft.identity { await willFinish(identity) }
            if let folder = name(draft) { return Result(end: end, folder: folder) }
            end = .failure("failed: no name could be given to the folder")
        }
        // The next one in this folder tries again.
        try? draft.remove()
        return Result(end: end)
    }

    /// Returns the path of the folder that an earlier run has named; `nil` if there is none.
    package func folder(withIdentity identity: String) -> String? {
        (0..<Self.mostNames).lazy.map { path.pathFolder + numberedName($0) }
            .first { DraftFolder.exists(FilePath($0), as: identity) }
    }

    /// The maximum number of names among which the folder of an earlier run is looked for.
    private static let mostNames = 100

    private var parent: FilePath {
        FilePath(path.pathFolder.isEmpty ? "." : path.pathFolder)
    }

    /// The path as an argument of the program.
    private var argument: String { path.isAbsolutePath ? path : "./" + path }

    /// Lists the archive, and fails if it contains what must not be unpacked.
    ///
    /// `bsdtar` has no option that leaves out devices. Once a device exists, an entry of the archive
    /// that is a hard link to it could write to the device.
    private func check(
        _ draft: DraftFolder,
        within limits: UnpackingLimits,
        _ output: Int32
    ) async -> ProgramRun.End {
        // In the folder, the list counts for the limits, and is removed with the folder.
        guard let list = ArchiveList(at: draft.path.appending("list")) else {
            return .failure("failed: the list of the archive could not be written")
        }
        defer { list.close() }
        var run = ProgramRun(["bsdtar", "-tvf", argument])
        (run.output, run.errors) = (list.descriptor, output)
        let end = await watch(run, draft, within: limits)
        guard end.isSuccess else { return end }
        guard list.remove(), let content = list.content() else {
            return .failure("failed: the list of the archive could not be read")
        }
        if content.hasSpecialFiles {
            return .failure(
                "was refused: the archive contains a device file, a FIFO or a socket, which Pawl "
                    + "does not create"
            )
        }
        return limits.problem(entryCount: content.entryCount, byteCount: 0)
            .map { .failure($0) } ?? end
    }

    /// Runs the program that writes the files.
    private func fill(
        _ draft: DraftFolder,
        within limits: UnpackingLimits,
        _ output: Int32
    ) async -> ProgramRun.End {
        var run = ProgramRun([
            "bsdtar", "-x", "--no-same-owner", "--no-same-permissions", "-f", argument,
            "-C", draft.path.string,
        ])
        run.output = output
        return await watch(run, draft, within: limits)
    }

    /// Runs a program, and stops it when the limits are exceeded.
    private func watch(
        _ run: ProgramRun,
        _ draft: DraftFolder,
        within limits: UnpackingLimits
    ) async -> ProgramRun.End {
        var run = run
        run.timeLimit = Self.timeLimit
        // If this process is killed, the folder is in use until the program has ended.
        run.inputFile = draft.descriptorForProgram()
        return await withTaskGroup(of: ProgramRun.End.self) { [run] group in
            group.addTask { await run.run() }
            group.addTask {
                while !Task.isCancelled {
                    let start = ContinuousClock.now
                    if let problem = limits.problem(draft) { return .failure(problem) }
                    // Looking at many files takes a small part of the time. The loop checks for
                    // cancellation.
                    let duration = ContinuousClock.now - start
                    try? await Task.sleep(for: max(Self.checkInterval, duration * 4))
                }
                return .failure("was stopped")
            }
            let first = await group.next()
            group.cancelAll()
            return first ?? .failure("was stopped")
        }
    }

    /// Gives the folder its name, which no other file has; returns its path.
    private func name(_ draft: DraftFolder) -> String? {
        FreeName.search { number in
            let folder = path.pathFolder + numberedName(number)
            // A folder that cannot be renamed gets no name at all.
            return (try? draft.finish(as: FilePath(folder))) == true ? folder : nil
        }
    }

    private func numberedName(_ number: Int) -> String {
        number == 0 ? folderName : "\(folderName).\(number)"
    }
}

extension UnpackingLimits {
    /// Returns why unpacking stops; `nil` if it may continue.
    fileprivate func problem(_ draft: DraftFolder) -> String? {
        let usage = draft.usage(most: mostEntries)
        return problem(entryCount: usage.entryCount, byteCount: usage.byteCount)
    }
}
