internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Renames the files of downloads: partial files before a run starts, finished files after it
/// ended.
final class PendingRenames {
    private let environment: QueueEnvironment
    private var pending: Set<Int64> = []
    /// The paths of finished files that were renamed, which the store has not recorded yet.
    private var renamed: [Int64: String] = [:]

    init(_ environment: QueueEnvironment) { self.environment = environment }

    func load(_ transaction: StoreTransaction) throws {
        pending = try transaction.renamings.downloads()
    }

    /// Adds a download whose new name the store has recorded.
    func add(_ id: Int64) { pending.insert(id) }

    /// Removes the renamings whose results the store has recorded.
    func recorded(_ ids: some Sequence<Int64>) { pending.subtract(ids) }

    func ended(_ id: Int64) { renamed[id] = nil }

    /// Renames the files of runs that have ended or are to start.
    func carryOut(
        ofEnded ends: [EndedRun],
        andStarting starting: [Int64]
    ) throws(DownloadError) -> [Int64: NewName] {
        let ended = Dictionary(ends.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let ids = pending.intersection(Set(starting).union(ended.keys))
        guard !ids.isEmpty else { return [:] }
        var names: [Int64: NewName] = [:]
        for id in ids {
            let known = try environment.store.write { transaction in
                (
                    name: try transaction.renamings.newName(of: id),
                    row: try transaction.downloads.find(id),
                    files: try transaction.writtenFiles.files(of: id),
                    root: try transaction.requests.confiningFolder(of: id)
                )
            }
            guard let name = known.name, let row = known.row else { continue }
            if case .success(let file) = ended[id]?.result {
                names[id] = rename(file, of: id, to: name)
            } else if starting.contains(id) {
                // A run that just ended may have left files that the store does not know yet: ask
                // the run.
                let running = environment.running
                let partial =
                    running.partialFile(of: id) ?? known.files.last { $0.kind == .partial }
                let path = running.path(of: id) ?? row.path
                names[id] = Self.move(path, partial, root: known.root, to: name)
            }
        }
        return names
    }

    /// Renames a file whose run finished before it could be restarted with the new name.
    private func rename(_ file: DownloadedFile, of id: Int64, to name: String) -> NewName {
        // A file that existed before the download keeps its name.
        if file.wasAlreadyThere { return NewName(name: name) }
        // The file was already renamed, but the store could not be written.
        if let path = renamed[id] { return NewName(name: name, path: path) }
        let folder = environment.running.folder(of: id)
        do throws(DownloadError) {
            let path = try LeftoverFiles.rename(file.path, to: name)
            let shown = folder?.shown(path) ?? path
            renamed[id] = shown
            return NewName(name: name, path: shown)
        } catch {
            environment.logger.warning("download \(id): \(error)")
            return NewName(name: name, error: error)
        }
    }

    /// Renames a complete file whose move an earlier daemon had begun, if a client has requested that
    /// meanwhile; returns the file as it is then.
    func rename(recovered file: WrittenFile, of id: Int64, root: String?) throws(DownloadError)
        -> WrittenFile
    {
        var file = file
        // The file was already renamed, but the store could not be written.
        if let path = renamed[id] {
            file.path = path
            return file
        }
        let name = try environment.store.write { try $0.renamings.newName(of: id) }
        guard let name else { return file }
        do throws(DownloadError) {
            let folder = try root.map { (root) throws(DownloadError) in
                try ConfinedFolder(file.path.pathFolder, in: root, creates: false)
            }
            let opened = folder ?? nil
            guard root == nil || opened != nil else { return file }
            let path = try LeftoverFiles.rename(opened?.inside(file.path) ?? file.path, to: name)
            file.path = opened?.shown(path) ?? path
            renamed[id] = file.path
            withExtendedLifetime(opened) {}
        } catch {
            environment.logger.warning("download \(id): \(error)")
        }
        return file
    }

    /// Moves the partial file and its checkpoint to the new name.
    private static func move(
        _ path: String?,
        _ partial: WrittenFile?,
        root: String?,
        to name: String
    ) -> NewName {
        var new = NewName(name: name)
        guard let path else { return new }
        do throws(DownloadError) {
            let parent = path.pathFolder
            let opened = try root.map { (root) throws(DownloadError) in
                try ConfinedFolder(parent, in: root, creates: false)
            }
            // If the folder no longer exists, neither do its files.
            if root != nil, opened ?? nil == nil {
                new.path = parent + name
                return new
            }
            let folder = opened ?? nil
            let moved = try LeftoverFiles.move(
                folder?.inside(path) ?? path,
                partial: partial.map { folder?.inside($0.path) ?? $0.path },
                to: name
            )
            new.path = folder?.shown(moved.path) ?? moved.path
            if var file = partial, let path = moved.partial {
                file.path = folder?.shown(path) ?? path
                new.partial = file
            }
            withExtendedLifetime(folder) {}
        } catch {
            new.error = error
        }
        return new
    }
}
