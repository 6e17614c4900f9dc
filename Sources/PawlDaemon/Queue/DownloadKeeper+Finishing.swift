internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Complete files get their names once the store says that they will.
extension DownloadKeeper {
    /// A complete file of a run that waits for its name.
    struct Announcement: Sendable {
        var id: Int64
        var file: WrittenFile
        var answer: CheckedContinuation<DownloadError?, Never>
    }

    /// Returns when the store says that this file gets its name, or is kept as corrupt; where it cannot be
    /// written, when it can be again.
    ///
    /// - Throws: `.interrupted` where the run is to end before.
    func willFinish(_ id: Int64, _ file: WrittenFile) async throws(DownloadError) {
        var file = file
        if let place = live.place(of: id) { file.path = place.shown(file.path) }
        let refusal = await withCheckedContinuation { answer in
            announcements.append(Announcement(id: id, file: file, answer: answer))
            bell.ring()
        }
        if let refusal { throw refusal }
    }

    func note(_ item: Announcement, _ transaction: StoreTransaction) throws {
        // Of one that was removed it is known whose file it is, too.
        let root = try transaction.root(of: item.id)
        _ = try transaction.intend(
            .finish(item.file),
            for: item.id,
            root: root ?? removedWithFiles[item.id]?.root
        )
    }

    /// They are in the store.
    func goOn(_ written: [Announcement]) {
        announcements.removeFirst(written.count)
        for item in written {
            finishing[item.id] = item.file
            item.answer.resume(returning: nil)
        }
    }

    /// Runs that are to end do not wait for the store; `id`: of that one, or all.
    func stopAnnouncing(_ error: DownloadError? = nil, of id: Int64? = nil) {
        let stopped = announcements.filter { id == nil || $0.id == id }
        announcements.removeAll { id == nil || $0.id == id }
        for item in stopped { item.answer.resume(returning: error ?? Self.stopped) }
    }

    private static let stopped = DownloadError(.interrupted, "the download was stopped")

    // MARK: - New names

    /// What became of a name that somebody has asked for.
    struct NewName {
        var name: String
        /// Where the file, finished or to come, is to be found now.
        var path: String?
        var partial: WrittenFile?
        var error: DownloadError?
    }

    /// Gives files the names that were asked for them: what came, before a run; finished ones behind it.
    func carryOutNames(
        of ends: [RunEnd],
        and starting: [Int64]
    ) throws(DownloadError) -> [Int64: NewName] {
        let ended = Dictionary(ends.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let ids = newNames.intersection(Set(starting).union(ended.keys))
        guard !ids.isEmpty else { return [:] }
        var names: [Int64: NewName] = [:]
        for id in ids {
            let known = try store.write { transaction in
                (
                    try transaction.newName(of: id), try transaction.download(id),
                    try transaction.written(of: id), try transaction.root(of: id)
                )
            }
            guard let name = known.0, let row = known.1 else { continue }
            if case .success(let file) = ended[id]?.result {
                names[id] = rename(file, of: id, to: name)
            } else if starting.contains(id) {
                // What a run that has ended just now has left is not in the store yet.
                let partial = live.partialFile(of: id) ?? known.2.last { $0.kind == .partial }
                let path = live.path(of: id) ?? row.path
                names[id] = Self.move(path, partial, root: known.3, to: name)
            }
        }
        return names
    }

    /// It was finished before it heard that it is to be called otherwise.
    private func rename(_ file: DownloadedFile, of id: Int64, to name: String) -> NewName {
        // A file that was there before is not ours to rename.
        if file.wasAlreadyThere { return NewName(name: name) }
        // The store could not be written the last time.
        if let path = renamed[id] { return NewName(name: name, path: path) }
        let place = live.place(of: id)
        do throws(DownloadError) {
            let path = try LeftoverNames.rename(file.path, to: name)
            let shown = place?.shown(path) ?? path
            renamed[id] = shown
            return NewName(name: name, path: shown)
        } catch {
            logger.warning("download \(id): \(error)")
            return NewName(name: name, error: error)
        }
    }

    /// What came goes with the download to its new name.
    private static func move(
        _ path: String?,
        _ partial: WrittenFile?,
        root: String?,
        to name: String
    ) -> NewName {
        var new = NewName(name: name)
        guard let path else { return new }
        do throws(DownloadError) {
            let folder = PathNames.folder(of: path)
            let place = try root.map { (root) throws(DownloadError) in
                try ConfinedFolder(folder, in: root, creates: false)
            }
            // What lay in a folder that is gone has gone with it.
            if root != nil, place ?? nil == nil {
                new.path = folder + name
                return new
            }
            let held = place ?? nil
            let moved = try LeftoverNames.move(
                held?.inside(path) ?? path,
                partial: partial.map { held?.inside($0.path) ?? $0.path },
                to: name
            )
            new.path = held?.shown(moved.path) ?? moved.path
            if var file = partial, let path = moved.partial {
                file.path = held?.shown(path) ?? path
                new.partial = file
            }
            withExtendedLifetime(held) {}
        } catch {
            new.error = error
        }
        return new
    }

    /// The row follows its file.
    func take(_ new: NewName, for row: inout WireDownload) throws(DownloadError) {
        if let error = new.error { throw error }
        row.path = new.path ?? row.path
        row.name = new.name.sanitized
    }

    /// Where the files are that runs have kept because their digest is wrong.
    func findCorrupt(of ends: [RunEnd]) -> [Int64: WrittenFile] {
        var found: [Int64: WrittenFile] = [:]
        for end in ends {
            guard let announced = finishing[end.id], announced.kind == .corrupt,
                case .failure = end.result
            else { continue }
            let place = live.place(of: end.id)
            var file = announced
            file.path = place?.inside(file.path) ?? file.path
            guard let path = LeftoverNames.find(file) else { continue }
            file.path = place?.shown(path) ?? path
            found[end.id] = file
        }
        return found
    }
}
