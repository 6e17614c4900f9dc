internal import struct FoundationEssentials.URL
internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Finds the partial file of a download among those of its name, or a name for a new one.
///
/// A partial file belongs to the download that began it, which is recognized by its URL, its
/// storage key, or a name that nobody else uses. Another download passes over it and takes the next
/// number.
///
/// Its calls block.
struct PartialSearch: Sendable {
    /// The URLs of the download and its mirrors.
    ///
    /// It may have been begun with any of them.
    let urls: [URL]
    let storageKey: StorageKey?
    /// Whether the names belong to this download alone, whichever files have them.
    let ownsNames: Bool
    var ifExists: ExistingFilePolicy
    /// Whether the download may adopt a partial file of another tool, which has no checkpoint.
    let adopts: Bool
    /// Returns the owner of files that were found; `nil` if no queue keeps track of owners.
    let ownerOfPartialFile: PartialFileQuestion?
    /// The numbers of the partial files that are checked beyond the first ones.
    let numberedPartials: NumberedPartials
    /// The names that belong to other files.
    let takenNames: TakenNames

    init(_ job: DownloadJob, _ numberedPartials: NumberedPartials, _ takenNames: TakenNames) {
        (self.numberedPartials, self.takenNames) = (numberedPartials, takenNames)
        urls = job.urls
        storageKey = job.storageKey.map { StorageKey($0) }
        ownsNames = job.isTemporary
        ifExists = job.settings.ifExists
        adopts = job.settings.adoptsPartialFile
        ownerOfPartialFile = job.ownerOfPartialFile
    }

    /// The number of consecutive names without a partial file after which only the numbers in
    /// `numberedPartials` are checked.
    ///
    /// If there is none at all, these are enough: they lack only files of the last second.
    private static let widestGap = 3

    /// The owner of the files of a name.
    private enum Owner {
        case nobody
        /// A tool other than Pawl.
        case anotherTool
        case thisDownload(Checkpoint)
        /// Another download.
        ///
        /// `wasOurs`: whether this download wrote the file when it had another URL.
        case anotherDownload(Checkpoint, wasOurs: Bool)
        /// Another user, or another owner in the queue, whose bytes this download must not delete.
        case somebodyElse
        /// Not known, because the checkpoint cannot be read.
        case unknown
    }

    /// Another download's partial file.
    struct Other: Sendable {
        let paths: DownloadPaths
        let checkpoint: Checkpoint
        /// Whether this download wrote it when it had another URL.
        let wasOurs: Bool
    }

    /// What exists under the names of one finished file.
    struct Result: Sendable {
        /// This download's partial file.
        var own: DownloadPaths?
        /// The first partial file of another tool.
        var foreign: DownloadPaths?
        /// The partial files of other downloads that were passed over.
        var others: [Other] = []
        /// Whether the name without a number is free.
        var isFree = false
    }

    /// Examines `final` and its numbered names, and at least the first `number` of them.
    func examine(_ final: FilePath, atLeast number: Int = 0) throws(DownloadError) -> Result {
        var result = Result()
        let names = PartialNames(final)
        // A library knows the names of its files.
        let isListed = storageKey == nil && !ownsNames && names != nil
        var checked: Set<Int> = []
        var (next, last) = (0, isListed && !adopts ? number : number + Self.widestGap)
        while result.own == nil, next <= last, next < FreeName.limit {
            checked.insert(next)
            if try !check(next, of: final, names, &result) {
                last = max(last, next + Self.widestGap)
            }
            next += 1
            // Among the numbers of finished files, the list has those of partial files.
            if isListed { next = takenNames.next(from: next, of: final) }
        }
        guard result.own == nil, isListed, let names else { return result }
        for number in numberedPartials.numbers(of: names)
        where !checked.contains(number) && result.own == nil {
            _ = try check(number, of: final, names, &result)
        }
        return result
    }

    /// Adds what has the name with this number to `result`, and returns whether nothing has it.
    private func check(
        _ number: Int,
        of final: FilePath,
        _ names: PartialNames?,
        _ result: inout Result
    ) throws(DownloadError) -> Bool {
        // Nearly all names are free, and creating their paths takes longer than asking the system.
        let isFree =
            names?.isFree(number) == true
            ? true : try add(DownloadPaths.numbered(final, number), to: &result)
        if isFree, number == 0 { result.isFree = true }
        return isFree
    }

    /// Adds the files of these names to `result`, and returns whether there are none.
    private func add(
        _ paths: DownloadPaths,
        to result: inout Result
    ) throws(DownloadError) -> Bool {
        switch try owner(of: paths) {
        case .nobody: return true
        case .thisDownload(let checkpoint): result.own = Self.named(paths, checkpoint)
        case .anotherTool: result.foreign = result.foreign ?? paths
        case .anotherDownload(let checkpoint, let wasOurs):
            let paths = Self.named(paths, checkpoint)
            result.others.append(
                Other(paths: paths, checkpoint: checkpoint, wasOurs: wasOurs)
            )
        case .somebodyElse, .unknown: break
        }
        return false
    }

    /// Whether a download that does not replace files passes over this name, because another
    /// download has its partial file there.
    func passesOver(_ number: Int, of final: FilePath) throws(DownloadError) -> Bool {
        guard ifExists == .rename || ifExists == .skip else { return false }
        return switch try owner(of: .numbered(final, number)) {
        case .anotherDownload, .somebodyElse: true
        case .nobody, .anotherTool, .thisDownload, .unknown: false
        }
    }

    /// Returns names for a new download, from the number `first` on, and notes about files set
    /// aside for them.
    ///
    /// `final` is the name of the finished file, unless another download has taken it.
    func free(
        for wanted: FilePath,
        from first: Int,
        final: FilePath,
        isBehindAnother: Bool = false,
        settings: StoreSettings
    ) throws(DownloadError) -> (paths: DownloadPaths, notes: [String]) {
        var isBehindAnother = isBehindAnother
        let found = try FreeName.search(from: first) {
            (number) throws(DownloadError) -> (paths: DownloadPaths, notes: [String])? in
            let stem = wanted.numbered(number)
            // Only a download that avoids existing files takes another name because of another
            // download: with the other policies, the name is decided at the end.
            let takesNumber = isBehindAnother && ifExists == .rename
            if takesNumber, try ExistingFile.isThere(stem) { return nil }
            let paths = DownloadPaths(
                takesNumber ? stem : final,
                partial: stem,
                wanted: wanted,
                number: number
            )
            switch try owner(of: paths) {
            case .nobody: return (paths, [])
            case .anotherTool: break
            case .thisDownload: throw PartialStore.taken(paths)
            case .anotherDownload, .somebodyElse:
                guard ifExists != .fail else { throw Self.isUnderWay(paths) }
                isBehindAnother = true
            case .unknown:
                if let notes = try Self.setAside(paths, settings) { return (paths, notes) }
                isBehindAnother = true
            }
            return nil
        }
        guard let found else { throw Self.exists(wanted) }
        return found
    }

    /// Returns the names to take after another download has taken `taken` meanwhile.
    func next(
        after taken: DownloadPaths,
        settings: StoreSettings
    ) throws(DownloadError) -> DownloadPaths {
        var (number, isBehindAnother) = (taken.number, taken.final != taken.wanted)
        switch try owner(of: taken) {
        case .thisDownload: throw PartialStore.taken(taken)
        case .nobody: break
        case .anotherTool: number += 1
        case .anotherDownload, .somebodyElse, .unknown:
            guard ifExists != .fail else { throw Self.isUnderWay(taken) }
            (number, isBehindAnother) = (number + 1, true)
        }
        return try free(
            for: taken.wanted,
            from: number,
            final: taken.final,
            isBehindAnother: isBehindAnother,
            settings: settings
        ).paths
    }

    static func exists(_ path: FilePath) -> DownloadError {
        DownloadError(
            .fileExists,
            "\(path) already exists",
            advice: "choose \(.otherName), or \(set: .ifExists, to: "rename", "overwrite")"
        )
    }

    private static func isUnderWay(_ paths: DownloadPaths) -> DownloadError {
        DownloadError(
            .fileExists,
            "\(paths.partial) is the partial file of another download",
            advice:
                "finish or remove it, choose \(.otherName), or \(set: .ifExists, to: "rename")"
        )
    }

    private func owner(of paths: DownloadPaths) throws(DownloadError) -> Owner {
        switch try PartialFinding(paths) {
        case .nothing: .nobody
        case .foreign: .anotherTool
        case .unusable: .unknown
        case .ofAnotherUser: .somebodyElse
        case .checkpoint(let checkpoint):
            try owner(of: paths, checkpoint)
        }
    }

    private func owner(
        of paths: DownloadPaths,
        _ checkpoint: Checkpoint
    ) throws(DownloadError) -> Owner {
        var recorded = PartialFileOwner.anybody
        if let ownerOfPartialFile, let stamp = try PartialFinding.stamp(of: paths) {
            recorded = ownerOfPartialFile(FoundPartialFile(stamp, mark: checkpoint.mark?.text))
        }
        if recorded == .somebodyElse { return .somebodyElse }
        if isOwn(checkpoint, paths) { return .thisDownload(checkpoint) }
        return .anotherDownload(checkpoint, wasOurs: recorded == .thisDownload)
    }

    private func isOwn(_ checkpoint: Checkpoint, _ paths: DownloadPaths) -> Bool {
        if ownsNames { return true }
        if let storageKey { return KeyMark.isPossible(storageKey, on: paths.partial) }
        return checkpoint.isOf(urls)
    }

    /// Returns the paths with the finished name that was intended when the download began.
    private static func named(_ paths: DownloadPaths, _ checkpoint: Checkpoint) -> DownloadPaths {
        let target = checkpoint.targetName
        guard target != paths.wanted.nameBytes else { return paths }
        // A file that was found by its number may have been intended without it.
        if target != paths.base.nameBytes, paths.number == 0 {
            let wanted = paths.folder.appending(FilePath(bytes: target).components)
            let number = paths.base.lastComponent.flatMap { FileName.number(in: $0.string) }
            if let number, number < FreeName.limit, wanted.numbered(number) == paths.base {
                return DownloadPaths(wanted, partial: paths.base, number: number)
            }
        }
        return DownloadPaths(
            paths.base,
            partial: paths.base,
            wanted: paths.wanted,
            number: paths.number
        )
    }

    /// Sets a file aside.
    ///
    /// Returns `nil` if another process uses it.
    private static func setAside(
        _ paths: DownloadPaths,
        _ settings: StoreSettings
    ) throws(DownloadError) -> [String]? {
        do throws(DownloadError) {
            switch try PartialRecovery.recover(paths, settings: settings) {
            case .nothing(let notes): return notes
            case .resumable(let store, _):
                // Its checkpoint has become readable since, so the file belongs to somebody.
                store.close()
                return nil
            case .foreignPartial: return nil
            }
        } catch  where error.code == .alreadyRunning {
            return nil
        }
    }
}
