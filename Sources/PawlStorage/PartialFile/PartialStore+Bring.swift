internal import Glibc
internal import PawlCore
internal import SystemPackage

/// Partial files that are not where their download is to be.
extension PartialStore {
    /// Moves a partial file, and its checkpoint, to the folder of its download; replaces nothing.
    ///
    /// In that folder already, it keeps its name. `file` is the partial file and has its lock; what comes
    /// back is another one where it had to be copied, from another file system.
    static func bring(
        _ file: OpenFile,
        to place: RestorePlace
    ) throws(DownloadError) -> (paths: DownloadPaths, file: OpenFile) {
        if let own = DownloadPaths(partialOrCheckpoint: place.partial),
            try FolderPreparation.isSame(own.folder, place.final.folder)
        {
            let paths = DownloadPaths(place.final, partial: own.final)
            if try isSame(paths.partial, place.partial) { return (paths, file) }
        }
        for number in 0..<highestNumberTried {
            let paths = DownloadPaths(place.final, partial: place.numbered(number))
            if try isSame(paths.partial, place.partial) { return (paths, file) }
            guard try status(paths.partial) == nil, try status(paths.checkpoint) == nil,
                let moved = try move(file, place, to: paths.partial)
            else { continue }
            try moveCheckpoint(place, to: paths.checkpoint)
            return (paths, moved)
        }
        throw DownloadError(
            .fileExists,
            "no name for a partial file is free beside \(place.final)",
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

    /// Nil where the name is taken.
    private static func move(
        _ file: OpenFile,
        _ place: RestorePlace,
        to path: FilePath
    ) throws(DownloadError) -> OpenFile? {
        do throws(Errno) {
            try Renaming.withoutReplacing(place.partial, path)
            return file
        } catch .fileExists {
            return nil
        } catch .improperLink {
            guard try copy(place.partial, to: path, place) else { return nil }
            guard let copy = try openLocked(path) else { throw FileLock.taken(path) }
            return copy
        } catch {
            throw DownloadError(error, while: .rename, path)
        }
    }

    /// Without it the resume data tell what is good: it goes after the bytes.
    private static func moveCheckpoint(
        _ place: RestorePlace,
        to path: FilePath
    ) throws(DownloadError) {
        let checkpoint = checkpointPath(of: place.partial)
        guard try status(checkpoint) != nil else { return }
        do throws(Errno) {
            try Renaming.withoutReplacing(checkpoint, path)
        } catch .improperLink {
            _ = try copy(checkpoint, to: path, place)
        } catch {
            throw DownloadError(error, while: .rename, path)
        }
    }

    /// To another file system; the source goes when the copy is durable.
    ///
    /// False where the name is taken.
    private static func copy(
        _ source: FilePath,
        to path: FilePath,
        _ place: RestorePlace
    ) throws(DownloadError) -> Bool {
        let move = FileMove(source, to: path, policy: .skip)
        return try !move.run(onPiece: place.onPiece).wasSkipped
    }
}
