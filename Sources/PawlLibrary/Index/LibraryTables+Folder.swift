package import PawlCore

/// Decides what changes of the folder mean for the keys.
extension LibraryTables {
    /// Returns the names that must be checked before these changes are followed: those in them, and
    /// those to which a changed note refers.
    package func namesToCheck(_ changes: [FolderChange]) -> Set<ExactText> {
        var names: Set<ExactText> = []
        for change in changes {
            switch change {
            case .added(let name), .modified(let name): names.insert(name)
            case .renamed(_, let to): names.insert(to)
            case .removed(let name):
                if let key = key(ofNote: name) { names.formUnion(namesOf(key)) }
            case .overflowed, .ended: break
            }
        }
        return names
    }

    /// Returns further names to check: those of keys whose records were found under other names.
    ///
    /// A copy can be told from a swap only if the files under both names are known.
    package func namesBesides(_ found: [ExactText: FoundFile]) -> Set<ExactText> {
        var names: Set<ExactText> = []
        for (name, file) in found {
            guard let key = file.fittingRecord?.key, let other = entries[key]?.file?.name,
                other != name, found[other] == nil
            else { continue }
            names.insert(other)
        }
        return names
    }

    /// Returns the changes, with the removals of files in `gone` that were not reported.
    ///
    /// A file that was renamed before the watch had seen it is reported as added, or as removed and
    /// added; here it becomes renamed.
    package func changes(
        _ told: [FolderChange],
        _ found: [ExactText: FoundFile],
        gone: Set<ExactText>
    ) -> [FolderChange] {
        var (unreported, removed) = (gone, gone)
        for change in told {
            switch change {
            case .renamed(let name, _): unreported.remove(name)
            case .removed(let name):
                unreported.remove(name)
                removed.insert(name)
            case .added, .modified, .overflowed, .ended: break
            }
        }
        var oldNames: [ExactText: ExactText] = [:]
        for case .added(let name) in told {
            guard let file = found[name],
                let old = file.fittingRecord.flatMap({ entries[$0.key]?.file }),
                old.stamp == file.stamp, removed.remove(old.name) != nil
            else { continue }
            oldNames[name] = old.name
        }
        let renamed = Set(oldNames.values)
        let changes = told.compactMap { change -> FolderChange? in
            switch change {
            case .added(let name): oldNames[name].map { .renamed(from: $0, to: name) } ?? change
            case .removed(let name): renamed.contains(name) ? nil : change
            case .renamed, .modified, .overflowed, .ended: change
            }
        }
        // These removals happened earlier and were not reported.
        return unreported.subtracting(renamed).sorted().map { .removed($0) } + changes
    }

    /// Returns the possible names of a key's file.
    ///
    /// Another process that finishes a download records the file, then removes its note.
    private func namesOf(_ key: StorageKey) -> [ExactText] {
        guard let download = entries[key]?.download else { return [] }
        let name = download.pending.name
        // If the name was taken, the file has a number.
        return [name] + download.mayBeAt
            + (1...3).map { ExactText(FileName.numbered(name.text, $0)) }.filter {
                stamp(of: $0) != nil
            }
    }

    mutating func follow(_ changes: [FolderChange], _ found: [ExactText: FoundFile]) -> [Action] {
        var actions: [Action] = []
        // A note explains the files that are reported with it, so it comes first.
        let notes = changes.filter(\.isOfNote)
        for change in notes + changes.filter({ !$0.isOfNote }) {
            switch change {
            case .added(let name), .modified(let name): actions += appeared(name, found)
            case .removed(let name): actions += vanished(name, found)
            case .renamed(let from, let to): actions += renamed(from, to, found)
            case .overflowed: break
            case .ended(let reason):
                actions.append(.report(.watchingEnded(reason: reason.sentence)))
            }
        }
        return actions
    }

    private mutating func renamed(
        _ from: ExactText,
        _ to: ExactText,
        _ found: [ExactText: FoundFile]
    ) -> [Action] {
        guard !LibraryName.isInternal(from.text), !LibraryName.isInternal(to.text),
            let stamp = stamp(of: from), found[to]?.stamp == stamp
        else {
            return vanished(from, [:]) + appeared(to, found)
        }
        var actions: [Action] = []
        // The file that had this name before is gone.
        if self.stamp(of: to) != nil { actions += vanished(to, [:]) }
        let key = rename(from, to: to)
        if key != nil { actions.append(.moveRecord(from: from, to: to)) }
        return actions + [.report(.fileRenamed(from: from.text, to: to.text, key: key))]
    }

    mutating func appeared(_ name: ExactText, _ all: [ExactText: FoundFile]) -> [Action] {
        // It appeared and has vanished: report the removal.
        guard let found = all[name] else { return vanished(name, [:]) }
        if LibraryName.isInternal(name.text) { return appearedInternal(name, found) }
        let old = stamp(of: name)
        // The run's end reports it, or has it checked again.
        if missed(name, found.stamp) { return [] }
        // A file that another process is about to finish will have its record soon.
        if found.record == .absent, target(of: name) != nil, owner(of: name) == nil { return [] }
        setStamp(found.stamp, of: name)
        if old == found.stamp, owner(of: name) != nil || found.record == .absent { return [] }
        if let record = found.fittingRecord {
            let told = Action.report(
                old == nil
                    ? .fileAdded(name: name.text, key: nil)
                    : .fileChanged(name: name.text, key: owner(of: name))
            )
            guard isCopy(name, record, found.stamp, all) else {
                return adopt(name, record, found.stamp, old)
            }
            return overwritten(name, found.stamp) + [told]
        }
        var actions: [Action] = []
        if case .damaged(let reason) = found.record {
            actions.append(.report(.recordDamaged(name: name.text, reason: reason)))
        }
        guard let key = owner(of: name) else {
            if old == found.stamp { return actions }
            return actions + [
                .report(
                    old == nil
                        ? .fileAdded(name: name.text, key: nil)
                        : .fileChanged(name: name.text, key: nil)
                )
            ]
        }
        return actions + overwritten(name, found.stamp) + [
            .report(.fileChanged(name: name.text, key: key))
        ]
    }

    /// Marks the key's file of this name as changed.
    private mutating func overwritten(_ name: ExactText, _ stamp: FileStamp) -> [Action] {
        guard let key = owner(of: name), var file = entries[key]?.file else { return [] }
        file.isChanged = true
        file.stamp = stamp
        setFile(file, of: key)
        return []
    }

    /// Records a change under a name that a running download will have.
    ///
    /// The end of the run reports it.
    private mutating func missed(_ name: ExactText, _ stamp: FileStamp?) -> Bool {
        guard let key = target(of: name), var download = entries[key]?.download, download.run != nil
        else { return false }
        download.missed = LibraryIndex.Missed(stamp: stamp)
        setDownload(download, of: key)
        return true
    }

    /// Whether the file has all the attributes of a key's own file, which still exists.
    ///
    /// A key has only one file.
    private func isCopy(
        _ name: ExactText,
        _ record: FileRecord,
        _ stamp: FileStamp,
        _ found: [ExactText: FoundFile]
    ) -> Bool {
        guard let other = entries[record.key]?.file, other.name != name,
            self.stamp(of: other.name) != nil, !other.isChanged
        else { return false }
        // The state seen at the same moment counts, not an earlier one.
        if let now = found[other.name] {
            guard now.stamp == other.stamp, now.fittingRecord?.key == record.key else {
                return false
            }
        }
        return record.inode != stamp.inode || other.record.inode == other.stamp.inode
    }

    /// Adopts a file with a record that fits it.
    private mutating func adopt(
        _ name: ExactText,
        _ record: FileRecord,
        _ stamp: FileStamp,
        _ old: FileStamp?
    ) -> [Action] {
        let key = record.key
        setFile(KnownFile(name: name, record: record, stamp: stamp), of: key)
        return [
            .report(
                old == nil
                    ? .fileAdded(name: name.text, key: key)
                    : .fileChanged(name: name.text, key: key)
            )
        ]
    }

    private mutating func vanished(_ name: ExactText, _ found: [ExactText: FoundFile]) -> [Action] {
        if LibraryName.isInternal(name.text) { return vanishedInternal(name, found) }
        guard removeStamp(of: name) else {
            _ = missed(name, nil)
            return []
        }
        let key = owner(of: name)
        if let key { setFile(nil, of: key) }
        return [.report(.fileRemoved(name: name.text, key: key))]
    }

    /// Handles a note on a download that another process or an earlier one wrote.
    private mutating func appearedInternal(_ name: ExactText, _ found: FoundFile) -> [Action] {
        guard let form = LibraryName.form(ofPending: name.text) else { return [] }
        guard let pending = found.pending else {
            // A note that is being written is reported again.
            return []
        }
        noteForm(form, of: pending.key)
        guard entries[pending.key]?.download?.isOwn != true else { return [] }
        setDownload(Download(found: pending), of: pending.key)
        return []
    }

    private mutating func vanishedInternal(
        _ name: ExactText,
        _ found: [ExactText: FoundFile]
    ) -> [Action] {
        guard let key = key(ofNote: name), let download = entries[key]?.download,
            download.run == nil
        else { return [] }
        let names = namesOf(key)
        setDownload(nil, of: key)
        return names.sorted().filter { found[$0] != nil }.flatMap { appeared($0, found) }
    }
}

extension FolderChange {
    fileprivate var isOfNote: Bool {
        switch self {
        case .added(let name), .modified(let name), .removed(let name), .renamed(_, let name):
            LibraryName.form(ofPending: name.text) != nil
        case .overflowed, .ended: false
        }
    }
}

extension FolderEnd {
    /// The reason as a sentence for people.
    package var sentence: String {
        switch self {
        case .removed: "the folder was removed"
        case .moved: "the folder was renamed or replaced by another one"
        case .unmounted: "the file system was unmounted"
        case .unreadable: "the folder cannot be read"
        }
    }
}
