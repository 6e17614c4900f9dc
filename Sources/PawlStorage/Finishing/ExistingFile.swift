internal import Glibc
package import PawlCore
package import SystemPackage

/// A file that is there under the finished file's name.
package enum ExistingFile: Hashable, Sendable {
    /// Proven to be the very same bytes.
    case same
    /// Not proven.
    case different
    case absent

    /// By size, and the digest where there is one, else the validators that Pawl left on the file.
    ///
    /// With a digest the whole file is read; `onPiece` is called before each piece, and ends it with
    /// what it throws.
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
        // What may not be read is not proven to be the same.
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
