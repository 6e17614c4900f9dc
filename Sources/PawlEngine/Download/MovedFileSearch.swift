internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Finds the finished file of an earlier run in the folder into which that run has moved it.
///
/// It is compared in the same way as a file under the download's own name.
///
/// Its calls block.
struct MovedFileSearch: Sendable {
    private let target: MoveFolder
    private let files: FinishedFileSearch
    private let ifExists: ExistingFilePolicy
    private let stop: CancellationToken

    /// `nil` if the download's file is not moved.
    init?(_ job: DownloadJob, _ partials: PartialSearch, _ stop: CancellationToken) {
        guard let target = job.moveFolder else { return nil }
        var partials = partials
        // A file that is moved takes a number if its name is taken.
        partials.ifExists = .rename
        (self.target, self.stop, ifExists) = (target, stop, job.settings.ifExists)
        files = FinishedFileSearch(partials, stop)
    }

    /// Looks for the file that was downloaded to `final` or one of its names with a number up to
    /// `number`, and then moved.
    ///
    /// Returns `nil` if none is proven or likely to be the server's.
    func find(
        _ final: FilePath,
        _ number: Int,
        _ head: ResponseHead,
        _ representation: Representation,
        _ digest: ContentDigest?,
        _ comparison: FinishedFileSearch.Comparison
    ) throws(DownloadError) -> FinishedFileSearch.Choice? {
        // The rules may ask for the size.
        guard let size = representation.total ?? comparison.body.map({ Int64($0.count) }) else {
            return nil
        }
        let mediaType = DownloadResponse(head).mediaType
        // Before other files took the name, this one had no number.
        for path in number == 0 ? [final] : [final, final.numbered(number)] {
            guard let name = path.lastComponent?.string else { continue }
            var facts = FinishedFacts(name: name, size: size)
            facts.mediaType = mediaType
            guard let folder = target(facts) else { continue }
            let moved = FilePath(folder).appending(name)
            if let choice = try choose(moved, representation, digest, comparison) { return choice }
        }
        return nil
    }

    private func choose(
        _ path: FilePath,
        _ representation: Representation,
        _ digest: ContentDigest?,
        _ comparison: FinishedFileSearch.Comparison
    ) throws(DownloadError) -> FinishedFileSearch.Choice? {
        let choice: FinishedFileSearch.Choice
        do throws(DownloadError) {
            choice = try files.choose(
                path,
                representation,
                digest,
                comparison,
                passesOverFolders: true
            )
        } catch {
            // In a folder that cannot be read, no file is known to be the server's. The error is
            // reported when the new file is moved there.
            try stop.check()
            return nil
        }
        switch choice {
        case .open, .kept: return nil
        case .same(let found) where ifExists == .fail: throw PartialSearch.exists(found)
        case .same, .undecided, .likely: return choice
        }
    }
}
