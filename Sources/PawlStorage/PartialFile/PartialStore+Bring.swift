internal import Glibc
internal import PawlCore
internal import SystemPackage

/// Partial files that are not where their download is to be.
extension PartialStore {
    /// Moves a partial file, and its checkpoint, to where the download of `final` looks for them;
    /// replaces nothing.
    ///
    /// `numbered`: the names to try, 0 for the name itself. The caller has the partial file's lock.
    static func bring(
        _ partial: FilePath,
        to final: FilePath,
        numbered: (Int) -> FilePath
    ) throws(DownloadError) -> DownloadPaths {
        if let own = DownloadPaths(partialOrCheckpoint: partial) {
            // Under another name in the folder it is as good.
            let paths = DownloadPaths(final, partial: own.final)
            if try isSame(paths.partial, partial) { return paths }
        }
        for number in 0..<highestNumberTried {
            let paths = DownloadPaths(final, partial: numbered(number))
            if try isSame(paths.partial, partial) { return paths }
            guard try status(paths.partial) == nil, try status(paths.checkpoint) == nil,
                try move(partial, to: paths.partial)
            else { continue }
            let checkpoint = checkpointPath(of: partial)
            if try status(checkpoint) != nil { _ = try move(checkpoint, to: paths.checkpoint) }
            return paths
        }
        throw DownloadError(
            .fileExists,
            "no name for a partial file is free beside \(final)",
            advice: "remove those that are no longer needed"
        )
    }

    private static let highestNumberTried = 10_000

    /// Beside the partial file, also where that has another ending than ours.
    static func checkpointPath(of partial: FilePath) -> FilePath {
        DownloadPaths(partialOrCheckpoint: partial)?.checkpoint
            ?? partial.appending(suffix: ".pawl")
    }

    private static func isSame(
        _ one: FilePath,
        _ other: FilePath
    ) throws(DownloadError) -> Bool {
        if one == other { return true }
        guard let first = try status(one) else { return false }
        return try status(other)?.identity == first.identity
    }

    /// False where the name is taken.
    private static func move(
        _ from: FilePath,
        to place: FilePath
    ) throws(DownloadError) -> Bool {
        do throws(Errno) {
            try Renaming.withoutReplacing(from, place)
            return true
        } catch .fileExists {
            return false
        } catch .improperLink {
            throw DownloadError(
                .renameFailed,
                "\(from) is on another file system than \(place)",
                advice: "move it there first, or choose a destination beside it",
                context: DiskAction.rename.text(place)
            )
        } catch {
            throw DownloadError(error, while: .rename, place)
        }
    }
}
