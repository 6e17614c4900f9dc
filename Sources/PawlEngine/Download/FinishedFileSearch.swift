internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Finds the finished file of an earlier run, or the name that a new file may take.
///
/// The names are the requested one and its numbered forms. A name without a file may belong to
/// another download, which has its partial file there. Then this download's file may be finished
/// under one of the next names.
///
/// Its calls block.
struct FinishedFileSearch: Sendable {
    private let ifExists: ExistingFilePolicy
    private let partials: PartialSearch
    private let stop: CancellationToken

    init(_ partials: PartialSearch, _ stop: CancellationToken) {
        ifExists = partials.ifExists
        (self.partials, self.stop) = (partials, stop)
    }

    /// How thoroughly existing files may be compared with the server's.
    struct Comparison: Sendable {
        /// Whether the files may be read completely, for their digest.
        var readsFiles = true
        /// Whether samples may be requested from the server.
        var asksForSamples = false
        /// The server's whole file, if it is in memory; then no samples are needed.
        var body: [UInt8]?
        /// The files that have been compared by samples, and whether these were equal.
        var sampled: [FilePath: Bool] = [:]
    }

    enum Choice {
        /// There is a file, which is kept although it is not proven to be the server's.
        case kept(FilePath)
        /// There is a file that is proven to be the server's.
        case same(FilePath)
        /// The name with this number may be taken.
        ///
        /// `last` is the last number that was checked: between the two, the names belong to other
        /// downloads or are taken by other files.
        case open(Int, last: Int)
        /// There is a file that must be read first.
        case undecided
        /// There is a file that came from this URL and has the same length; samples will decide.
        case likely(FilePath)
    }

    /// Compares the files with the server's, and decides by the policy for existing files.
    ///
    /// `passesOverFolders` is whether a folder with the name leads to the next number. Otherwise it
    /// is an error, because the caller has given the name.
    func choose(
        _ final: FilePath,
        _ representation: Representation,
        _ digest: ContentDigest?,
        _ comparison: Comparison = Comparison(),
        passesOverFolders: Bool
    ) throws(DownloadError) -> Choice {
        // The first name without a file, which other downloads' partial files may have.
        var free: Int?
        var candidates: Set<Int>?
        let choice = try FreeName.search { (number) throws(DownloadError) -> Choice? in
            let path = final.numbered(number)
            if !comparison.readsFiles, digest != nil, try ExistingFile.isThere(path) {
                return .undecided
            }
            let status = try compare(path, representation, digest)
            switch status {
            case .absent:
                let isPassedOver = try partials.passesOver(number, of: final)
                let first = free ?? number
                free = first
                return isPassedOver ? nil : .open(first, last: number)
            case .same: return try found(path, isFirst: free == nil)
            case .folder:
                // A number is taken only by a file that does not replace another.
                guard number > 0 || passesOverFolders && (ifExists == .rename || ifExists == .skip)
                else { throw DownloadError(.isDirectory, while: .create, path) }
                return nil
            case .different, .hasValidators:
                if digest == nil, isLikely(path, status, representation, comparison) {
                    guard let isSame = try isEqual(path, comparison) else { return .likely(path) }
                    if isSame { return try found(path, isFirst: free == nil) }
                }
            }
            partials.takenNames.note(number, at: path, of: final)
            // The policy is for the name that this download would have.
            guard free == nil else { return nil }
            switch ifExists {
            case .skip: return try ExistingFile.presence(at: path) == .file ? .kept(path) : nil
            case .fail: throw PartialSearch.exists(path)
            case .overwrite:
                try ExistingFile.checkOverwriting(path, with: representation)
                return .open(number, last: number)
            case .rename: return nil
            }
        } next: { number in
            next(from: number, of: final, &candidates) {
                SoughtFile(representation, digest, urls: partials.urls)
            }
        }
        if let choice { return choice }
        guard let free else { throw PartialSearch.exists(final) }
        return .open(free, last: free)
    }

    /// Returns the choice of a file that is the server's.
    ///
    /// Throws `.fileExists` if it has the name that the download would have, and none may exist.
    private func found(_ path: FilePath, isFirst: Bool) throws(DownloadError) -> Choice {
        guard ifExists != .fail || !isFirst else { throw PartialSearch.exists(path) }
        return .same(path)
    }

    /// Returns the first number from `number` on whose name must be checked: the others belong to
    /// files that are known to be different.
    ///
    /// `candidates` are the numbers of the known files that must be compared, determined once.
    private func next(
        from number: Int,
        of final: FilePath,
        _ candidates: inout Set<Int>?,
        _ sought: () -> SoughtFile
    ) -> Int {
        // The other policies depend on the first file.
        guard ifExists == .rename, number >= TakenNames.firstNumber else { return number }
        let names = partials.takenNames
        let known = candidates ?? names.candidates(of: final, for: sought())
        candidates = known
        return names.next(from: number, of: final, orIn: known)
    }

    /// Returns whether a file that is likely to be the same is equal to the server's file; `nil` if
    /// samples must be requested first.
    private func isEqual(
        _ path: FilePath,
        _ comparison: Comparison
    ) throws(DownloadError) -> Bool? {
        guard let body = comparison.body else { return comparison.sampled[path] }
        return try ExistingFile.has(body, at: 0, path)
    }

    /// Whether the file is likely to be the same, so that bytes are compared: it has the server's
    /// validators, or none can decide and it came from the same URL.
    private func isLikely(
        _ path: FilePath,
        _ status: ExistingFile,
        _ representation: Representation,
        _ comparison: Comparison
    ) -> Bool {
        guard comparison.asksForSamples || comparison.body != nil,
            representation.contentEncoding == nil,
            representation.total ?? 0 > 0 || comparison.body != nil
        else { return false }
        if status == .hasValidators { return true }
        return representation.validatorStrength != .strong
            && RepresentationMark.identifies(path, of: partials.urls, representation)
    }

    /// Compares a file with the server's.
    ///
    /// With a digest the whole file is read, which may take long.
    private func compare(
        _ path: FilePath,
        _ representation: Representation,
        _ digest: ContentDigest?
    ) throws(DownloadError) -> ExistingFile {
        try ExistingFile.compare(
            path,
            representation,
            of: partials.urls,
            digest: digest,
            onPiece: stop.check
        )
    }
}
