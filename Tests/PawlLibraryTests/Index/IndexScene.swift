import struct FoundationEssentials.URL
import PawlCore
import PawlLibrary

/// An index, and the events that a test sends to it.
struct IndexScene {
    var index = LibraryIndex(folder: "/library")

    func url(_ key: StorageKey) -> URL {
        URL(string: "http://example.org/\(key.text)") ?? URL(filePath: "/")
    }

    func run(of key: StorageKey) -> LibraryIndex.RunID? { index.entries[key]?.download?.run }

    mutating func ask(
        _ key: StorageKey,
        hasURL: Bool = true,
        name: ExactText? = nil,
        isNameGiven: Bool = false,
        policy: FinishedFilePolicy = .use,
        waits: Bool = true,
        renews: Bool = false
    ) -> [LibraryIndex.Action] {
        var ask = LibraryIndex.Ask(
            url: hasURL ? url(key) : nil,
            name: name ?? ExactText(key.text),
            policy: policy,
            waits: waits
        )
        ask.isNameGiven = isNameGiven
        ask.renews = renews
        return index.handle(.asked(key, ask))
    }

    mutating func end(
        _ key: StorageKey,
        _ end: LibraryIndex.RunOutcome
    ) -> [LibraryIndex.Action] {
        index.handle(.runEnded(key, run(of: key) ?? 0, end))
    }

    mutating func folder(
        _ changes: [FolderChange],
        _ found: [ExactText: FoundFile]
    ) -> [LibraryIndex.Action] {
        index.handle(.folderChanged(changes, found))
    }

    func stamp(inode: UInt64) -> FileStamp {
        FileStamp(device: 1, inode: inode, size: Int64(inode) * 10, modified: Int64(inode))
    }

    func file(_ key: StorageKey, name: ExactText? = nil) -> KnownFile {
        let inode = UInt64(key.text.utf8.reduce(1000) { $0 + Int($1) })
        let stamp = stamp(inode: inode)
        var record = FileRecord(
            key: key,
            source: url(key),
            byteCount: stamp.size,
            modified: stamp.modified,
            finishedAt: 0
        )
        record.inode = inode
        return KnownFile(name: name ?? ExactText(key.text), record: record, stamp: stamp)
    }

    mutating func finish(_ key: StorageKey, name: ExactText? = nil) {
        if run(of: key) == nil { _ = ask(key, name: name) }
        _ = end(key, .finished(file(key, name: name), wasFetched: true))
    }

    /// Simulates that somebody writes to the file.
    mutating func change(_ name: ExactText) {
        _ = folder([.modified(name)], [name: FoundFile(stamp: stamp(inode: 1))])
    }
}

enum Conclusion: Equatable {
    case finished(ExactText)
    case failed(ErrorCode)
}

extension ErrorCode {
    /// The error code for a status.
    static func code(_ status: Int) -> ErrorCode {
        DownloadError(status: status, reason: "", host: "").code
    }
}

extension LibraryIndex.Action {
    var isStart: Bool { if case .start = self { true } else { false } }
}

extension [LibraryIndex.Action] {
    var starts: [LibraryIndex.Start] {
        compactMap { if case .start(let start) = $0 { start } else { nil } }
    }
    var given: [ExactText] {
        compactMap { if case .give(let file) = $0 { file.name } else { nil } }
    }
    var refused: [ErrorCode] {
        compactMap { if case .refuse(let error) = $0 { error.code } else { nil } }
    }
    /// For each stop, whether the received bytes are kept.
    var stops: [Bool] {
        compactMap { if case .stop(_, let keeping) = $0 { keeping } else { nil } }
    }
    var renewals: [StorageKey] {
        compactMap { if case .renew(let key, _, _) = $0 { key } else { nil } }
    }
    var saves: [PendingDownload] {
        compactMap { if case .save(let pending, _) = $0 { pending } else { nil } }
    }
    var discards: [PendingDownload] {
        compactMap { if case .discardPart(let pending) = $0 { pending } else { nil } }
    }
    var checks: [ExactText] {
        compactMap { if case .check(let name) = $0 { name } else { nil } }
    }
    var moves: [String] {
        compactMap { if case .moveRecord(let old, let new) = $0 { "\(old) \(new)" } else { nil } }
    }
    var concluded: [Conclusion] {
        compactMap { action in
            guard case .conclude(_, let result) = action else { return nil }
            switch result {
            case .success(let file): return .finished(file.name)
            case .failure(let error): return .failed(error.code)
            }
        }
    }
    /// The reported events, in a few words each.
    var told: [String] {
        compactMap { action in
            guard case .report(let event) = action else { return nil }
            return switch event {
            case .started(let key): "started \(key.text)"
            case .paused(let key): "paused \(key.text)"
            case .finished(let file): "finished \(file.name)"
            case .failed(let key, _): "failed \(key.text)"
            case .cancelled(let key): "cancelled \(key.text)"
            case .urlReplaced(let key): "replaced \(key.text)"
            case .fileAdded(let name, let key): "added \(name) \(key?.text ?? "-")"
            case .fileRemoved(let name, let key): "removed \(name) \(key?.text ?? "-")"
            case .fileRenamed(let old, let new, let key):
                "renamed \(old) \(new) \(key?.text ?? "-")"
            case .fileChanged(let name, let key): "changed \(name) \(key?.text ?? "-")"
            case .recordDamaged(let name, _): "damaged \(name)"
            default: "other"
            }
        }
    }
}
