internal import Glibc
package import PawlCore
internal import PawlStorage
package import SystemPackage

/// Stores records on or beside their files.
///
/// A record is one attribute, `user.pawl.record`, so that it is either complete or missing. If the
/// file system supports none, or none of this length, it is a hidden file beside the file:
/// `.NAME.pawl-record`.
package enum RecordStore {
    package static let attribute = "user.pawl.record"
    private static let suffix = ".pawl-record"

    package enum Home: Hashable, Sendable {
        case attribute, sideFile
    }

    /// Writes a record, replacing an older one.
    ///
    /// An attribute is not synced: if a power cut destroys it, the file has no record.
    @discardableResult
    package static func write(
        _ record: FileRecord,
        for path: FilePath
    ) throws(DownloadError) -> Home {
        let text = Array(record.text.utf8)
        do throws(AttributeFailure) {
            try ExtendedAttributes.write(text, attribute, on: path)
        } catch {
            if case .failed(let number) = error {
                throw DownloadError(number, while: .write, path)
            }
            // An older attribute, which was shorter, would now contradict the side file.
            try? ExtendedAttributes.remove(attribute, of: path)
            try writeSideFile(text, for: path)
            return .sideFile
        }
        try removeSideFile(of: path)
        return .attribute
    }

    /// Returns the record of a file; `nil` if it has none, or if the file was replaced or edited
    /// after the record was written.
    package static func read(of path: FilePath) throws(DownloadError) -> FileRecord? {
        let status = try attempt(.inspect, path) { () throws(Errno) in try path.targetStatus() }
        guard let status, status.isRegular else { return nil }
        guard let record = stored(for: path),
            record.fits(byteCount: status.size, modified: status.modifiedNanoseconds)
        else { return nil }
        return record
    }

    /// Returns the stored record of a file, even if the file has changed since.
    package static func stored(for path: FilePath) -> FileRecord? {
        // A record that cannot be read counts as missing: nothing is known of the file then.
        let noted = try? ExtendedAttributes.read(attribute, of: path)
        return record(noted) ?? record(sideFileBytes(of: path))
    }

    /// Returns the stored record of a file, even if the file has changed since, and whether the
    /// record can be read.
    package static func find(_ path: FilePath) -> RecordFinding {
        do throws(AttributeFailure) {
            let noted = try ExtendedAttributes.read(attribute, of: path)
            if let record = record(noted) { return .found(record) }
            return .damaged("its attribute \(attribute) is not a record that this version can read")
        } catch {
            // Whatever the reason, without an attribute the side file counts.
        }
        guard let bytes = sideFileBytes(of: path) else { return .absent }
        if let record = record(bytes) { return .found(record) }
        let name = sideFile(of: path).lastComponent?.string ?? ""
        return .damaged("\(name) is not a record that this version can read")
    }

    /// Moves a side file to the file's new name.
    ///
    /// An attribute moves with the file by itself.
    package static func move(from old: FilePath, to new: FilePath) throws(DownloadError) {
        guard let bytes = sideFileBytes(of: old) else { return }
        try writeSideFile(bytes, for: new)
        try removeSideFile(of: old)
    }

    /// Removes the record of a file that was removed itself, or is no longer needed.
    package static func remove(of path: FilePath) throws(DownloadError) {
        // If the file is gone, so is its attribute.
        try? ExtendedAttributes.remove(attribute, of: path)
        try removeSideFile(of: path)
    }

    /// Returns the file to which a side file belongs; `nil` for any other name.
    ///
    /// The file of a name that had to be cut cannot be determined.
    package static func file(ofSideFile path: FilePath) -> FilePath? {
        let name = path.nameBytes
        guard name.first == UInt8(ascii: "."), let stem = path.removing(suffix: suffix),
            stem.nameBytes.count > 1
        else { return nil }
        return path.sibling(stem.nameBytes.dropFirst())
    }

    package static func sideFile(of path: FilePath) -> FilePath {
        let hidden = FilePath(bytes: [UInt8(ascii: ".")] + path.nameBytes).shortenedStem
        return path.sibling(hidden.bytes + Array(suffix.utf8))
    }

    private static func record(_ bytes: [UInt8]?) -> FileRecord? {
        guard let bytes, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        return FileRecord(text: text)
    }

    private static func sideFileBytes(of path: FilePath) -> [UInt8]? {
        let file = try? OpenFile(sideFile(of: path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        return file.flatMap { try? $0.contents(limit: FileRecord.longestText) }
    }

    private static func writeSideFile(
        _ text: [UInt8],
        for path: FilePath
    ) throws(DownloadError) {
        guard let name = sideFile(of: path).lastComponent?.string else { return }
        try FileFolder(path.folder).write(text, to: name)
    }

    private static func removeSideFile(of path: FilePath) throws(DownloadError) {
        let sideFile = sideFile(of: path)
        do throws(Errno) {
            try sideFile.removeFile()
        } catch .noSuchFileOrDirectory {
            return
        } catch {
            throw DownloadError(error, while: .remove, sideFile)
        }
    }
}
