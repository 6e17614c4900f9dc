internal import Glibc
package import PawlCore
package import SystemPackage
internal import Synchronization

/// The way of a complete file to its name: size, sync, rename, sync of the folder, in that order.
extension PartialStore {
    private static let highestNumber = 9999

    /// Gives the file its name, and returns that.
    ///
    /// If a file with the same bytes has the name, this one is dropped. The digest was checked before.
    /// Afterwards the store is closed.
    ///
    /// `epoch`: what counted when the last byte was written; a sync that failed since then fails this.
    /// `acceptsSame`: whether a file with the same bytes will do.
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

    /// Gives files their names, as `finish` does it with each, if they were made durable: all get
    /// their names, then each folder is synced once.
    package static func name(
        _ files: [(file: CompleteFile, durable: Result<Void, DownloadError>)]
    ) -> [Result<FinishedName, DownloadError>] {
        place(files).map { result in
            result.flatMap { placed in
                Result { () throws(DownloadError) in try placed.decided() }
            }
        }
    }

    fileprivate static func place(
        _ files: [(file: CompleteFile, durable: Result<Void, DownloadError>)]
    ) -> [Result<PlacedFile, DownloadError>] {
        let placed = files.map { file, durable in durable.flatMap { file.place() } }
        var folders: [FilePath: Result<Void, DownloadError>] = [:]
        // All names of a file are in its folder.
        let homes = files.map(\.file.store.paths.folder)
        for case (let folder, .success(.named(let name))) in zip(homes, placed)
        where folders[folder] == nil {
            folders[folder] = syncFolder(of: name.path)
        }
        return zip(files, placed).enumerated().map { index, pair in
            let (file, result) = (pair.0.file, pair.1)
            return result.flatMap { placed in
                guard case .named(let name) = placed else { return .success(placed) }
                switch folders[homes[index]] {
                case .failure(let error): return file.giveUp(error)
                case .success, nil: return file.conclude(as: name)
                }
            }
        }
    }

    private static func syncFolder(of path: FilePath) -> Result<Void, DownloadError> {
        Result { () throws(DownloadError) in
            try attempt(.sync, path) { () throws(Errno) in try path.folder.syncFolder() }
        }
    }

    /// A file whose digest is wrong never gets its name: it becomes `NAME.corrupt`, with the reason
    /// in an attribute.
    ///
    /// Afterwards the store is closed.
    package func keepAsCorrupt(reason: String) throws(DownloadError) -> FilePath {
        ExtendedAttribute.reason.put(reason, on: file)
        let path = try giveFinalName { (state) throws(DownloadError) in
            try place(&state, firstFreeOf: 0...Self.highestNumber) { [paths] in paths.corrupt($0) }
        }
        defer { letGo() }
        try Self.syncFolder(of: path).get()
        try conclude()
        return path
    }

    fileprivate func adjustSize(to total: Int64) throws(DownloadError) {
        let size = try attempt(.truncate, paths.partial) { () throws(Errno) in
            // What lies behind the end was reserved, or is the rest of a longer version.
            let size = try file.status().size
            guard size > total else { return size }
            try file.truncate(to: total)
            return try file.status().size
        }
        guard size == total else {
            throw DownloadError(
                .diskFailure,
                "\(paths.partial) has \(size) bytes where \(total) should be",
                advice: "another program may have changed it: run the same again",
                context: "finishing \(paths.final)"
            )
        }
    }

    fileprivate func syncForGood(_ epoch: Int) throws(DownloadError) {
        try syncTurn.withLock { (_) throws(DownloadError) in
            // A sync that failed while this one waited has taken the kernel's report with it.
            guard state.withLock({ $0.epoch }) == epoch else {
                throw DownloadError(.ioError, while: .sync, paths.partial)
            }
            try syncFile(fully: true)
        }
    }

    /// Nothing is claimed any more from then on.
    func giveFinalName(
        _ place: (inout State) throws(DownloadError) -> FilePath
    ) throws(DownloadError) -> FilePath {
        try state.withLock { (state) throws(DownloadError) in
            guard !state.isClosed else {
                throw DownloadError(
                    .renameFailed,
                    "the partial file was given up before",
                    context: "finishing \(paths.final)"
                )
            }
            let path = try place(&state)
            state.isClosed = true
            return path
        }
    }

    /// The checkpoint goes last, and its going is not synced: one that a power cut brings back has
    /// no partial file any more, which recovery knows.
    func conclude() throws(DownloadError) {
        try state.withLock { (state) throws(DownloadError) in
            defer { letGo(&state) }
            try removeCheckpoint(&state)
        }
    }

    fileprivate func place(_ file: CompleteFile) throws(DownloadError) -> PlacedFile {
        let final = paths.final
        switch file.policy {
        case .fail: return try place(file, firstFreeOf: 0...0) { _ in final }
        case .overwrite: return try replace(final)
        case .replace(let stamp, let numbered):
            let now = try attempt(.inspect, final) { () throws(Errno) in
                try final.status().map { FileStamp($0) }
            }
            guard now != stamp else { return try replace(final) }
            return try place(file, firstFreeOf: 0...Self.highestNumber) {
                $0 == 0 ? final : numbered($0)
            }
        case .rename(let numbered):
            return try place(file, firstFreeOf: 0...Self.highestNumber) {
                $0 == 0 ? final : numbered($0)
            }
        }
    }

    private func replace(_ path: FilePath) throws(DownloadError) -> PlacedFile {
        let path = try giveFinalName { (state) throws(DownloadError) in
            do throws(Errno) {
                try takeName(path, &state)
            } catch {
                throw namingError(error, path, state)
            }
            return path
        }
        return .named(FinishedName(path: path))
    }

    /// The first name that is free, or that a file with the same bytes has.
    private func place(
        _ file: CompleteFile,
        firstFreeOf numbers: ClosedRange<Int>,
        _ name: (Int) -> FilePath
    ) throws(DownloadError) -> PlacedFile {
        for number in numbers {
            let path = name(number)
            do throws(DownloadError) {
                let path = try giveFinalName { (state) throws(DownloadError) in
                    try place(&state, firstFreeOf: number...number) { _ in path }
                }
                return .named(FinishedName(path: path))
            } catch  where error.code == .fileExists {
                // Outside of the state's lock, as it may take a while.
                guard file.acceptsSame else { continue }
                switch file.hasSameBytes(at: path) {
                case .known(true): return .named(FinishedName(path: path, wasThere: true))
                case .known(false): continue
                case .unread: return .undecided(path)
                }
            }
        }
        throw DownloadError(.fileExists, while: .rename, name(numbers.upperBound))
    }

    private func place(
        _ state: inout State,
        firstFreeOf numbers: ClosedRange<Int>,
        _ name: (Int) -> FilePath
    ) throws(DownloadError) -> FilePath {
        for number in numbers {
            let path = name(number)
            do throws(Errno) {
                try giveName(path, &state)
                return path
            } catch .fileExists {
                continue
            } catch {
                throw namingError(error, path, state)
            }
        }
        throw DownloadError(.fileExists, while: .rename, name(numbers.upperBound))
    }

    /// Why a file did not get its name: others may have taken the partial file away meanwhile.
    private func namingError(_ errno: Errno, _ path: FilePath, _ state: State) -> DownloadError {
        guard errno == .noSuchFileOrDirectory, isLost(state) else {
            return DownloadError(errno, while: .rename, path)
        }
        return DownloadError(
            .renameFailed,
            "\(paths.partial) was removed or replaced while it was being downloaded",
            advice: "run the same command again: it starts over",
            context: DiskAction.rename.text(path)
        )
    }

    /// Whether the partial file had a name that is gone, or another file's now; its folder is there.
    private func isLost(_ state: State) -> Bool {
        do throws(Errno) {
            guard state.isNamed, try paths.folder.status() != nil else { return false }
            return try paths.partial.status()?.identity != file.status().identity
        } catch {
            // What cannot be looked at may still be there.
            return false
        }
    }

    /// Whether the partial file is where the next run looks for it.
    package var isInPlace: Bool { state.withLock { !isLost($0) } }

    /// Never replaces.
    private func giveName(_ path: FilePath, _ state: inout State) throws(Errno) {
        guard state.isNamed else { return try file.link(as: path) }
        try checkName()
        try Renaming.withoutReplacing(paths.partial, path)
    }

    private func takeName(_ path: FilePath, _ state: inout State) throws(Errno) {
        if state.isNamed {
            try checkName()
            return try Renaming.replacing(paths.partial, path)
        }
        do throws(Errno) {
            try file.link(as: path)
        } catch .fileExists {
            // Only a file that has a name can replace another in one step.
            let draft = try linkDraft()
            do throws(Errno) {
                try Renaming.replacing(draft, path)
            } catch {
                // The store still has the file; the error that led here is the one to report.
                try? draft.removeFile()
                throw error
            }
        }
    }

    private func linkDraft() throws(Errno) -> FilePath {
        for number in 1...Self.highestNumber {
            let draft = paths.setAside(number).partial
            do throws(Errno) {
                try file.link(as: draft)
                return draft
            } catch .fileExists {
                continue
            }
        }
        throw .fileExists
    }

    /// Renaming what somebody else put under the name would finish the wrong file.
    private func checkName() throws(Errno) {
        guard try paths.partial.status()?.identity == file.status().identity else {
            throw .noSuchFileOrDirectory
        }
    }
}

/// A file that has all its bytes and is to get its name.
package struct CompleteFile: Sendable {
    let store: PartialStore
    package let total: Int64
    let policy: FinishPolicy
    let epoch: Int?
    /// Whether a file with the same bytes will do in its place.
    package var acceptsSame = true
    /// Whether `finish` reads a whole file to compare it; otherwise it returns ``PlacedFile/undecided(_:)``.
    package var readsFiles = true
    /// The files that were compared; `nil` for one with other bytes.
    private var compared: [FilePath: FileStamp?] = [:]

    package init(store: PartialStore, total: Int64, policy: FinishPolicy, epoch: Int? = nil) {
        self.store = store
        self.total = total
        self.policy = policy
        self.epoch = epoch
    }

    /// Whether a sync of it failed.
    package var isDistrusted: Bool { epoch.map { $0 != store.trustEpoch } ?? false }

    /// Has the disk begin with it, where others will be synced before.
    package func startWriteback() { store.startWriteback() }

    /// Checks that all bytes are there, and syncs them.
    package func makeDurable() throws(DownloadError) {
        try store.adjustSize(to: total)
        try store.syncForGood(epoch ?? store.trustEpoch)
    }

    fileprivate var mark: RepresentationMark? {
        store.state.withLock { state in
            RepresentationMark(state.representation, total: total, source: state.mark)
        }
    }

    /// Makes the file durable and gives it its name, as `PartialStore.finish` does.
    package func finish() throws(DownloadError) -> PlacedFile {
        let durable = Result { () throws(DownloadError) in try makeDurable() }
        guard let result = PartialStore.place([(self, durable)]).first else {
            return .named(FinishedName(path: store.paths.final))
        }
        return try result.get()
    }

    /// Reads the file at `path` and this one; returns the other's stamp if their bytes are the same.
    ///
    /// `onPiece` is called before each piece is read, and ends the comparison with what it throws.
    package func stamp(
        ofSameAt path: FilePath,
        _ onPiece: () throws(DownloadError) -> Void
    ) throws(DownloadError) -> FileStamp? {
        guard let other = ExistingFile.candidate(at: path, total: total) else { return nil }
        let isSame = try ExistingFile.haveSameBytes(store.file, other.file, total, onPiece)
        return isSame ? other.stamp : nil
    }

    /// Notes the result of `stamp(ofSameAt:)` for the next `finish`.
    package mutating func note(_ stamp: FileStamp?, at path: FilePath) {
        compared.updateValue(stamp, forKey: path)
    }

    fileprivate enum Comparison {
        case known(Bool)
        /// Only reading both files tells.
        case unread
    }

    /// A file that was compared and has changed since counts as different.
    fileprivate func hasSameBytes(at path: FilePath) -> Comparison {
        guard let other = ExistingFile.candidate(at: path, total: total) else {
            return .known(false)
        }
        if let mark, mark.isStrong, mark.isOn(other.file) { return .known(true) }
        if let stamp = compared[path] { return .known(stamp == other.stamp) }
        guard readsFiles else { return .unread }
        // Nothing stops it, so it does not throw.
        return .known((try? ExistingFile.haveSameBytes(store.file, other.file, total)) ?? false)
    }

    fileprivate func place() -> Result<PlacedFile, DownloadError> {
        // Only a convenience of the next run: file systems without attributes do without.
        mark?.put(on: store.file)
        return Result { () throws(DownloadError) in try store.place(self) }
    }

    /// It has its name, but that is not durable.
    fileprivate func giveUp(_ error: DownloadError) -> Result<PlacedFile, DownloadError> {
        store.letGo()
        return .failure(error)
    }

    fileprivate func conclude(as name: FinishedName) -> Result<PlacedFile, DownloadError> {
        Result { () throws(DownloadError) in
            if name.wasThere { try store.discard() } else { try store.conclude() }
            return .named(name)
        }
    }
}
