internal import Glibc
package import PawlCore
package import SystemPackage
package import struct FoundationEssentials.URL

/// A file that has all its bytes and is about to be named: size, sync, rename, sync of the folder,
/// in that order.
package struct CompleteFile: Sendable {
    private enum Comparison {
        case known(Bool)
        /// Not known until both files are read.
        case unread
    }

    private let store: PartialStore
    package let total: Int64
    private let policy: FinishPolicy
    private let epoch: Int?
    /// Whether an existing file with the same bytes is accepted in its place.
    package var acceptsSame = true
    /// Whether the response proved the file's length, which is recorded with the file.
    package var isLengthVerified = false
    /// What the file gets besides its bytes.
    package var notes = FileNotes()
    /// Whether `finish` reads whole files to compare them.
    ///
    /// Otherwise it returns ``NamingResult/undecided(_:)``.
    package var readsFiles = true
    /// The files that were compared; `nil` for one with other bytes.
    private var compared: [FilePath: FileStamp?] = [:]

    /// Creates the value.
    ///
    /// `epoch` is the epoch in which the last byte was written. If a sync has failed since then,
    /// naming fails, too.
    package init(store: PartialStore, total: Int64, policy: FinishPolicy, epoch: Int? = nil) {
        self.store = store
        self.total = total
        self.policy = policy
        self.epoch = epoch
    }

    /// Whether one of its syncs has failed.
    package var isDistrusted: Bool { epoch.map { $0 != store.trustEpoch } ?? false }

    /// The path at which it belongs, if that is free.
    package var path: String { store.paths.final.string }

    /// Returns the file's identity before it is named, which does not change when it is.
    package func stamp() throws(DownloadError) -> FileStamp { try store.stamp() }

    /// Returns what is recorded before the file is named.
    package func announced(_ stamp: FileStamp) -> WrittenFile {
        let paths = store.paths
        let wanted = paths.wanted == paths.final ? nil : paths.wanted.lastComponent?.string
        return WrittenFile(.finished, at: path, wantedName: wanted, stamp)
    }

    /// Deletes a file that must not be named.
    package func discard() throws(DownloadError) { try store.discard() }

    // MARK: - Finishing

    /// Makes the file durable and gives it its name.
    ///
    /// If a file with the same bytes has the name, this one is deleted. The digest was verified
    /// before. Afterwards the store is closed, unless the result is undecided.
    package func finish() throws(DownloadError) -> NamingResult {
        let durable = Result { () throws(DownloadError) in try makeDurable() }
        guard let result = Self.takeNames([(self, durable)]).first else {
            return .named(FinishedName(path: store.paths.final))
        }
        return try result.get()
    }

    /// Starts writing to the disk, if other files will be synced first.
    package func startWriteback() { store.startWriteback() }

    /// Checks that all bytes are present, and syncs them.
    package func makeDurable() throws(DownloadError) {
        try store.adjustSize(to: total)
        notes.put(on: store.file)
        try store.syncWhole(epoch: epoch ?? store.trustEpoch)
    }

    /// Names durable files, each as `finish` does: all get their names, then each folder is synced
    /// once.
    package static func name(
        _ files: [(file: CompleteFile, durable: Result<Void, DownloadError>)]
    ) -> [Result<FinishedName, DownloadError>] {
        takeNames(files).map { result in
            result.flatMap { named in
                Result { () throws(DownloadError) in try named.decided() }
            }
        }
    }

    private static func takeNames(
        _ files: [(file: CompleteFile, durable: Result<Void, DownloadError>)]
    ) -> [Result<NamingResult, DownloadError>] {
        let named = files.map { file, durable in
            durable.flatMap { Result { () throws(DownloadError) in try file.takeName() } }
        }
        var folders: [FilePath: Result<Void, DownloadError>] = [:]
        // All possible names of a file are in its folder.
        let homes = files.map(\.file.store.paths.folder)
        for case (let folder, .success(.named(let name))) in zip(homes, named)
        where folders[folder] == nil {
            folders[folder] = Result { () throws(DownloadError) in try syncFolder(of: name.path) }
        }
        return zip(files, named).enumerated().map { index, pair in
            let (file, result) = (pair.0.file, pair.1)
            return result.flatMap { named in
                guard case .named(let name) = named else { return .success(named) }
                switch folders[homes[index]] {
                case .failure(let error): return file.giveUp(error)
                case .success, nil: return file.conclude(as: name)
                }
            }
        }
    }

    static func syncFolder(of path: FilePath) throws(DownloadError) {
        try attempt(.sync, path, path.folder.syncFolder())
    }

    /// Handles a file that got its name, but whose name could not be made durable.
    private func giveUp(_ error: DownloadError) -> Result<NamingResult, DownloadError> {
        store.release()
        return .failure(error)
    }

    private func conclude(as name: FinishedName) -> Result<NamingResult, DownloadError> {
        Result { () throws(DownloadError) in
            if name.wasThere { try store.discard() } else { try store.conclude() }
            return .named(name)
        }
    }

    // MARK: - The name

    private func takeName() throws(DownloadError) -> NamingResult {
        // This only helps the next run; file systems without attributes have no mark.
        mark?.put(on: store.file)
        let final = store.paths.final
        switch policy {
        case .fail:
            if let named = try takeName(at: final) { return named }
            throw DownloadError(.fileExists, while: .rename, final)
        case .overwrite: return try replace(final)
        case .replace(let stamp, let numbered):
            let now = try attempt(.inspect, final, final.status().map { FileStamp($0) })
            return try now == stamp ? replace(final) : takeName(at: final, or: numbered)
        case .rename(let numbered): return try takeName(at: final, or: numbered)
        case .keep(let numbered): return try keepOrTakeName(at: final, or: numbered)
        }
    }

    /// Takes the first name that nothing has, unless a file has `final`: then that file is kept.
    private func keepOrTakeName(
        at final: FilePath,
        or numbered: (Int) -> FilePath
    ) throws(DownloadError) -> NamingResult {
        // A file that appears after this check has a name of its own, as this one then has.
        if try ExistingFile.presence(at: final) == .file {
            return .named(FinishedName(path: final, wasThere: true))
        }
        return try takeName(at: final, or: numbered)
    }

    private func replace(_ path: FilePath) throws(DownloadError) -> NamingResult {
        // The file may have become a page since its name was chosen.
        try ExistingFile.checkOverwriting(path, with: store.representation)
        // A private file stays one. Without the permissions, the new file has the usual ones.
        if let old = try? path.status(), old.isRegular {
            _ = fchmod(store.file.descriptor, mode_t(old.permissions & 0o777))
        }
        try store.takeName(path)
        return .named(FinishedName(path: path))
    }

    /// Takes the first name that is free, or that a file with the same bytes has.
    private func takeName(
        at final: FilePath,
        or numbered: (Int) -> FilePath
    ) throws(DownloadError) -> NamingResult {
        let named = try FreeName.search { (number) throws(DownloadError) in
            try takeName(at: number == 0 ? final : numbered(number))
        }
        if let named { return named }
        throw DownloadError(.fileExists, while: .rename, final)
    }

    /// Takes a name.
    ///
    /// Returns `nil` if another file has it.
    private func takeName(at path: FilePath) throws(DownloadError) -> NamingResult? {
        do throws(DownloadError) {
            try store.giveName(path)
            return .named(FinishedName(path: path))
        } catch  where error.code == .fileExists {
            guard acceptsSame else { return nil }
            switch hasSameBytes(at: path) {
            case .known(true): return .named(FinishedName(path: path, wasThere: true))
            case .known(false): return nil
            case .unread: return .undecided(path)
            }
        }
    }

    // MARK: - Comparing

    private var mark: RepresentationMark? {
        store.representationMark(total: total, isLengthVerified: isLengthVerified)
    }

    /// Whether the bytes are the same; equal validators do not prove that, because the other file
    /// may have come from another URL.
    ///
    /// A file that was compared and has changed since counts as different.
    private func hasSameBytes(at path: FilePath) -> Comparison {
        guard let other = ExistingFile.candidate(at: path, total: total) else {
            return .known(false)
        }
        if let stamp = compared[path] { return .known(stamp == other.stamp) }
        guard readsFiles else { return .unread }
        // Nothing stops this comparison, so it does not throw.
        return .known((try? ExistingFile.haveSameBytes(store.file, other.file, total)) ?? false)
    }

    /// Reads the file at `path` and this one.
    ///
    /// Returns the other's stamp if their bytes are the same.
    ///
    /// `onPiece` is called before each piece; an error that it throws ends the comparison.
    package func stamp(
        ofSameAt path: FilePath,
        _ onPiece: () throws(DownloadError) -> Void
    ) throws(DownloadError) -> FileStamp? {
        guard let other = ExistingFile.candidate(at: path, total: total) else { return nil }
        let isSame = try ExistingFile.haveSameBytes(store.file, other.file, total, onPiece)
        return isSame ? other.stamp : nil
    }

    /// Records the result of `stamp(ofSameAt:)` for the next `finish`.
    package mutating func note(_ stamp: FileStamp?, at path: FilePath) {
        compared.updateValue(stamp, forKey: path)
    }
}

extension PartialStore {
    /// Names the file as `CompleteFile.finish` does, and returns the name.
    package func finish(
        total: Int64,
        policy: FinishPolicy,
        epoch: Int? = nil,
        acceptsSame: Bool = true
    ) throws(DownloadError) -> FinishedName {
        var file = CompleteFile(store: self, total: total, policy: policy, epoch: epoch)
        file.acceptsSame = acceptsSame
        return try file.finish().decided()
    }

    /// Renames a file with a wrong digest to `NAME.corrupt`, and stores the reason in an attribute.
    ///
    /// Such a file never gets its name. It replaces the file that an earlier run has kept for the
    /// same reason, if that came from one of `urls` and nobody has written to it since.
    ///
    /// Afterwards the store is closed.
    package func keepAsCorrupt(
        reason: String,
        total: Int64,
        urls: [URL]
    ) throws(DownloadError) -> FilePath {
        representationMark(total: total)?.put(on: file)
        TextAttribute.reason.put(reason, on: file)
        let path = try FreeName.search { (number) throws(DownloadError) -> FilePath? in
            let path = paths.corrupt(number)
            do throws(DownloadError) {
                try giveName(path)
                return path
            } catch  where error.code == .fileExists {
                guard TextAttribute.reason.text(of: path) != nil,
                    RepresentationMark.isUnchanged(path, of: urls)
                else { return nil }
                try takeName(path)
                return path
            }
        }
        guard let path else {
            throw DownloadError(.fileExists, while: .rename, paths.corrupt(0))
        }
        defer { release() }
        try CompleteFile.syncFolder(of: path)
        try conclude()
        return path
    }
}
