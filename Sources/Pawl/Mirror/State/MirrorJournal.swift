internal import Glibc
package import PawlCore
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// The file in the folder of a mirror in which its state is kept.
///
/// Changes are added to its end every half second, so that a run that is killed loses little: the
/// next run asks the server about the files of the lost lines. One process at a time mirrors to a
/// folder.
package final class MirrorJournal: Sendable {
    /// The name of the file.
    package static let name = ".pawl-mirror"
    /// The maximum length of the file.
    private static let mostBytes = 2 << 30
    /// The number of bytes that may wait to be written.
    private static let mostWaiting = 32 << 10

    private struct State {
        var mirror: MirrorState
        var waiting = ""
        /// The length of the file; `nil` until it is created.
        var length: Int64?
        var failure: DownloadError?
        var isDamaged = false
    }

    private let folder: FileFolder
    private let path: FilePath
    /// Keeps the folder locked while it is open.
    private let lock: OpenFile
    private let state: Mutex<State>

    /// Opens the state of the mirror in a folder, which is created.
    ///
    /// - Parameters:
    ///   - root: What is mirrored, without secrets, for messages.
    ///   - source: Distinguishes it from everything else that may be mirrored.
    package init(folder name: String, root: String, source: String) throws(DownloadError) {
        let folderPath = FilePath(name)
        try FolderPreparation.prepare(folderPath)
        lock = try attempt(.inspect, folderPath, OpenFile(folderPath, O_RDONLY | O_DIRECTORY))
        do throws(Errno) {
            try lock.lock()
        } catch {
            throw DownloadError(
                .alreadyRunning,
                "another process is mirroring to \(name.sanitized)",
                advice: "wait until it has ended, or use another folder"
            )
        }
        folder = FileFolder(folderPath)
        path = folderPath.appending(Self.name)
        var first = State(mirror: MirrorState(root: root, source: source))
        let status = try attempt(.inspect, path, path.status())
        if let status {
            guard status.isRegular, status.size <= Self.mostBytes else { throw Self.unusable(path) }
            guard FileOwnership.isTrusted(status, in: folderPath), status.permissions & 0o002 == 0
            else {
                throw DownloadError(
                    .notAllowed,
                    "\(path.string.sanitized) can be changed by another user, who could choose "
                        + "which files are replaced and deleted",
                    advice: "use another folder, or delete this file; Pawl then compares all files "
                        + "with the server's"
                )
            }
            let text = try folder.read(Self.name, limit: Self.mostBytes, followsLinks: false)
            guard !MirrorState.isOfOtherVersion(text) else {
                throw DownloadError(
                    .fileUnreadable,
                    "\(path.string.sanitized) was written by a newer version of Pawl",
                    advice: "use that version, or another folder"
                )
            }
            if let known = MirrorState(text) {
                guard known.source == source else {
                    throw .usage(
                        "\(name.sanitized) is a mirror of \(known.root)",
                        advice: "use another folder"
                    )
                }
                (first.mirror, first.length) = (known, Int64(text.count))
                // A line that was cut off must not be joined with the next one.
                if text.last != 0x0A { first.waiting = "\n" }
            } else {
                first.isDamaged = !text.isEmpty
            }
        }
        state = Mutex(first)
    }

    private static func unusable(_ path: FilePath) -> DownloadError {
        DownloadError(
            .fileUnreadable,
            "\(path.string.sanitized) is not the state of a mirror",
            advice: "delete it; Pawl then compares all files with the server's"
        )
    }

    /// Whether what was known of the mirror was lost.
    package var isDamaged: Bool { state.withLock { $0.isDamaged } }

    package func record(of path: String) -> MirrorRecord? {
        state.withLock { $0.mirror.record(of: path) }
    }

    /// Notes that a list of this run contains a path; returns `false` if it is not the first one.
    package func see(_ path: String) -> Bool { state.withLock { $0.mirror.see(path) } }

    /// The paths of recorded files that no list of this run contains.
    package var unseen: [String] { state.withLock { $0.mirror.unseen } }

    /// Whether a list of this run contains a file that was recorded before it.
    package var hasSeenKnown: Bool { state.withLock { $0.mirror.hasSeenKnown } }

    package func set(_ record: MirrorRecord?, of path: String) {
        state.withLock { state in
            guard let line = state.mirror.set(record, of: path) else { return }
            state.waiting += line
            if state.waiting.utf8.count >= Self.mostWaiting { self.write(&state) }
        }
    }

    /// Writes the changes that wait.
    package func write() { state.withLock { write(&$0) } }

    private func write(_ state: inout State) {
        guard !state.waiting.isEmpty, state.failure == nil else { return }
        do throws(DownloadError) {
            let file = try attempt(.create, path) { () throws(Errno) in
                try OpenFile(path, O_WRONLY | O_CREAT | O_NOFOLLOW)
            }
            let isNew = state.length == nil
            let text = (isNew ? state.mirror.head : "") + state.waiting
            let length = state.length ?? 0
            try attempt(.write, path) { () throws(Errno) in
                if isNew { try file.truncate(to: 0) }
                try file.write(Array(text.utf8), at: length)
            }
            state.length = length + Int64(text.utf8.count)
            state.waiting = ""
        } catch {
            state.failure = error
        }
    }

    /// Writes what waits, and removes outdated lines.
    ///
    /// Throws the first error of writing: what was not written is not known to the next run.
    package func close() throws(DownloadError) {
        let text = try state.withLock { (state) throws(DownloadError) -> String? in
            write(&state)
            if let failure = state.failure { throw failure }
            return state.mirror.isWasteful ? state.mirror.compacted() : nil
        }
        if let text { try folder.write(Array(text.utf8), to: Self.name) }
    }
}
