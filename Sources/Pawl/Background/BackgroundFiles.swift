internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import PawlWire
internal import SystemPackage
internal import struct FoundationEssentials.URL

/// Where the daemon and the user put the files of a background session.
struct BackgroundFiles {
    private let session: DownloadSession

    init(_ session: DownloadSession) { self.session = session }

    /// Returns where the daemon must put a task's file: an absolute path, with a slash at the end
    /// for a folder.
    func path(for destination: TaskDestination, _ number: Int) async throws(DownloadError) -> String
    {
        switch destination {
        case .file(let path): return try FilePath(path).absoluteText()
        case .directory(let path): return "\(try FilePath(path).absoluteText())/"
        case .object(let url): return try ObjectAddress.parse(url.absoluteString).absoluteString
        case .place(let place, let name):
            let folder = try FilePath(try await session.folder(of: place)).absoluteText()
            guard let name else { return "\(folder)/" }
            return "\(folder)/\(FileName.clean(name) ?? "download")"
        case .temporary, .choosing:
            let files = session.temporaryFiles
            return try await session.engine.disk.run { () throws(DownloadError) in
                "\(try files.prepareBackground())/\(number)"
            }
        }
    }

    /// Returns the destination of a download that the daemon has.
    func destination(of row: WireDownload) -> TaskDestination {
        let path = row.destination
        if let folder = session.temporaryFiles.backgroundFolder, path.names(below: folder) != nil {
            return .temporary
        }
        if ObjectAddress.isOne(path), let url = URL(string: path) { return .object(url) }
        return path.isFolderPath ? .directory(path) : .file(path)
    }

    /// Moves a finished file to the path that its task's closure chooses.
    ///
    /// The next process finds it there, too.
    func move(
        _ file: DownloadedFile,
        of task: BackgroundTask,
        to destination: Destination,
        _ response: DownloadResponse
    ) async throws(DownloadError) -> DownloadedFile {
        let path =
            switch destination {
            case .file(let path): FilePath(try FilePath(path).absoluteText())
            case .directory(let folder):
                FilePath(try FilePath(folder).absoluteText()).appending(response.suggestedFilename)
            case .object: throw .usage("an object was chosen after the response had arrived")
            }
        let (files, number) = (session.temporaryFiles, task.taskIdentifier)
        let policy = task.settings.ifExists
        let source = FilePath(file.path)
        let moved = try await session.engine.disk.run { () throws(DownloadError) in
            try files.noteMove(of: number, to: path.string)
            let moved = try FileMove(source, to: path, policy: policy).run()
            if moved.path != path { try files.noteMove(of: number, to: moved.path.string) }
            return moved
        }
        var file = file
        file.path = moved.path.string
        return file
    }

    /// Returns the file at the path to which an earlier process has moved it; `nil` if it was not
    /// moved.
    func moved(_ file: DownloadedFile, of number: Int) async -> DownloadedFile? {
        let files = session.temporaryFiles
        // This fails only if the pool was shut down.
        let path = try? await session.engine.disk.run { files.moved(file, of: number) }
        return (path ?? nil).map { DownloadedFile(path: $0, byteCount: file.byteCount) }
    }

    /// Removes files of the session that no task of it can return any more.
    ///
    /// `first` is the first number that this process has given to a task.
    func sweep(keeping numbers: Set<Int>, before first: Int) {
        let files = session.temporaryFiles
        session.engine.disk.start { _ in files.sweepBackground(keeping: numbers, before: first) }
    }
}
