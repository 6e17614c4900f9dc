internal import Glibc
package import PawlCore
package import SystemPackage

/// The result of comparing an existing file that has the finished file's name.
package enum ExistingFile: Hashable, Sendable {
    /// The file is proven to have the same bytes.
    case same
    /// The file is not proven to be the same.
    case different
    case absent

    /// Compares by size, and by the digest if there is one, otherwise by the validators that Pawl
    /// recorded with the file.
    ///
    /// With a digest the whole file is read. `onPiece` is called before each piece; an error that
    /// it throws ends the reading.
    package static func compare(
        _ path: FilePath,
        _ representation: Representation,
        digest: ContentDigest?,
        onPiece: () throws(DownloadError) -> Void = {}
    ) throws(DownloadError) -> ExistingFile {
        let name = try attempt(.create, path) { () throws(Errno) in try path.status() }
        guard name != nil else { return .absent }
        let target = try attempt(.create, path) { () throws(Errno) in try path.targetStatus() }
        try checkKind(target, path)
        guard let target else { return .different }
        if let total = representation.total, total != target.size { return .different }
        // A file that cannot be read is not proven to be the same.
        guard let file = try? OpenFile(path, O_RDONLY | O_NONBLOCK) else { return .different }
        if let digest {
            let found = try FileDigest.compute(digest.algorithm, of: file, path, onPiece)
            return found == digest ? .same : .different
        }
        guard let mark = RepresentationMark(representation, total: target.size), mark.isStrong,
            representation.total != nil
        else { return .different }
        return mark.isOn(file) ? .same : .different
    }
}
