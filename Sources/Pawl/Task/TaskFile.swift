internal import Glibc
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization
internal import struct FoundationEssentials.URL

/// The file that a download task creates: its destination, and its owner if it is temporary.
final class TaskFile: Sendable {
    private struct State {
        /// The path of an unfinished temporary file, which all runs share.
        var path: String?
        var owner = Owner.task
        /// The object of a task without a queue, which all runs share.
        var object: ObjectDestination?
    }

    /// The owner of a finished temporary file.
    private enum Owner {
        case task
        /// Somebody awaits the file, or has awaited it.
        case user
        case removed
    }

    /// The destination as requested.
    let requested: TaskDestination
    /// Takes the bytes instead of a file.
    let output: OrderedOutput?
    /// The object of a queue's download, which the bytes become instead of a file.
    private let object: ObjectDestination?
    private let session: DownloadSession
    private let number: Int
    private let state = Mutex(State())

    init(_ target: DownloadTask.Target, at membership: SessionTask.Membership) {
        (requested, output, object) = (target.destination, target.output, target.object)
        session = membership.session
        number = membership.number
    }

    /// Whether it is a temporary file of the session.
    var isTemporary: Bool {
        guard !isObject, case .temporary = requested else { return false }
        return true
    }

    /// Whether it is no file, but an object.
    var isObject: Bool {
        if case .object = requested { return true }
        return object != nil
    }

    /// Returns the object that the bytes become; `nil` if they become a file.
    ///
    /// `source`: the URL of the download.
    ///
    /// Throws `.usage` if the object or a setting is not valid.
    func objectDestination(
        of source: URL,
        _ settings: DownloadSettings
    ) throws(DownloadError) -> ObjectDestination? {
        if let object { return object }
        guard case .object(let url) = requested else { return nil }
        if let known = state.withLock({ $0.object }) { return known }
        let new = try ObjectDestination(ofProcess: url, source: source, settings)
        state.withLock { $0.object = new }
        return new
    }

    /// Lets other tasks and processes use the record of an upload, because a run has ended.
    func releaseRecord() {
        state.withLock { $0.object?.ledger }?.release()
    }

    /// The closure that chooses the destination, if there is one.
    var choice: (@Sendable (DownloadResponse) throws(DownloadError) -> Destination)? {
        guard case .choosing(let choose) = requested else { return nil }
        return { (response) throws(DownloadError) in
            do {
                return try choose(response)
            } catch {
                var failure = DownloadError(thrownByClosure: error)
                failure.context = failure.context ?? "choosing the file's destination"
                throw failure
            }
        }
    }

    /// Creates the monitor.
    ///
    /// Files left by an ephemeral session's task are marked to be removed with the session.
    func makeMonitor() -> DownloadMonitor {
        let (time, files) = (session.engine.time, session.temporaryFiles)
        guard let noteName else { return DownloadMonitor(time: time) }
        return DownloadMonitor(time: time) { store in files.adopt(store, as: noteName) }
    }

    /// The name by which an ephemeral session records the partial file; `nil` in other sessions.
    private var noteName: String? {
        session.configuration.kind == .ephemeral ? "\(number)" : nil
    }

    /// The destination of all runs if nothing must be prepared for it.
    var plainDestination: Destination? {
        guard session.configuration.kind != .ephemeral, !isObject else { return nil }
        switch requested {
        case .file(let path): return .file(path)
        case .directory(let path): return .directory(path)
        case .temporary, .choosing, .place, .object: return nil
        }
    }

    /// Returns the destination of a run; `data` are the data to resume from.
    func destination(of data: ResumeData?) async throws(DownloadError) -> Destination {
        // A run with a target of its own does not use it.
        if isObject { return .directory(".") }
        let (files, disk) = (session.temporaryFiles, session.engine.disk)
        if session.configuration.kind == .ephemeral {
            // It must be able to clean up before there is a file.
            try await disk.run { () throws(DownloadError) in try files.prepare() }
        }
        switch requested {
        case .file(let path): return .file(path)
        case .directory(let path): return .directory(path)
        case .object(let url): return .object(url)
        case .temporary:
            if let output { return .file(output.temporaryPath) }
            if let path = state.withLock({ $0.path }) { return .file(path) }
            let path = try await disk.run { () throws(DownloadError) in try files.unfinished(data) }
            // The next run must find the files that this one leaves.
            state.withLock { $0.path = path }
            return .file(path)
        // The closure is called when there is a response.
        case .choosing: return .directory(".")
        case .place(let place, let name):
            let folder = try await session.folder(of: place)
            guard let name else { return .directory(folder) }
            return .file(folder + "/" + (FileName.clean(name) ?? "download"))
        }
    }

    /// Takes a finished file.
    ///
    /// A temporary file is removed with the session; other files are not.
    func take(_ file: DownloadedFile) async throws(DownloadError) -> DownloadedFile {
        let (files, name) = (session.temporaryFiles, "\(number)")
        guard isTemporary, output == nil else {
            if let noteName { files.release(noteName) }
            return file
        }
        var file = file
        let path = file.path
        file.path = try await session.engine.disk.run { () throws(DownloadError) in
            try files.take(path, as: name)
        }
        return file
    }

    /// Records that a finished temporary file belongs to the user from now on.
    func handOver() { state.withLock { if $0.owner == .task { $0.owner = .user } } }

    /// Removes the finished file if it is temporary and it was not handed over.
    func removeUnlessHandedOver(_ file: DownloadedFile) {
        guard isTemporary, output == nil else { return }
        let isOwned = state.withLock { state in
            defer { if state.owner == .task { state.owner = .removed } }
            return state.owner == .task
        }
        guard isOwned else { return }
        let path = file.path
        // Removing a large file takes a while.
        session.engine.disk.start { _ in unlink(path) }
    }

    /// Deletes the partial file and its checkpoint, and then calls `done`.
    func discard(_ paths: DownloadPaths, _ done: @escaping @Sendable () -> Void) {
        let (engine, files, note) = (session.engine, session.temporaryFiles, noteName)
        engine.disk.start { _ in
            Leftover.discard(paths, engine)
            if let note { files.release(note) }
            done()
        }
    }
}
