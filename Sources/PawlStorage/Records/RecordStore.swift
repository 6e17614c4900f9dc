internal import Glibc
package import PawlCore
package import SystemPackage

/// Records beside or on the files that they tell of.
///
/// A record is one attribute, `user.pawl.record`, so that it is there whole or not at all. Where the file
/// system keeps none, or not so long a one, it is a hidden file beside the file: `.NAME.pawl-record`.
package enum RecordStore {
    package static let attribute = "user.pawl.record"
    private static let suffix = ".pawl-record"

    package enum Home: Hashable, Sendable {
        case attribute, sideFile
    }

    /// Puts a record in place of an older one.
    ///
    /// Nothing is synced on an attribute's account: what a power cut takes, the file is fetched without.
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
            // An older one that still fitted would now contradict the side file.
            try? ExtendedAttributes.remove(attribute, of: path)
            try writeSideFile(text, for: path)
            return .sideFile
        }
        try removeSideFile(of: path)
        return .attribute
    }

    /// The record of a file, nil where it has none that fits it: other bytes have come under the name
    /// since, or it was edited.
    package static func read(of path: FilePath) throws(DownloadError) -> FileRecord? {
        let status = try attempt(.inspect, path) { () throws(Errno) in try path.targetStatus() }
        guard let status, status.isRegular else { return nil }
        guard let record = stored(for: path),
            record.fits(byteCount: status.size, modified: status.modifiedNanoseconds)
        else { return nil }
        return record
    }

    /// What is stored for a file, whether it fits or not: also of one that was changed.
    package static func stored(for path: FilePath) -> FileRecord? {
        // What cannot be read is no record: the file is then one that nothing is known of.
        let noted = try? ExtendedAttributes.read(attribute, of: path)
        return record(noted) ?? record(sideFileBytes(of: path))
    }

    /// What is stored for a file, whether it fits or not, and whether that can be read.
    package static func find(_ path: FilePath) -> RecordFinding {
        do throws(AttributeFailure) {
            let noted = try ExtendedAttributes.read(attribute, of: path)
            if let record = record(noted) { return .found(record) }
            return .damaged("its attribute \(attribute) is no record that this version knows")
        } catch {
            // Whatever the reason: without an attribute the side file counts.
        }
        guard let bytes = sideFileBytes(of: path) else { return .absent }
        if let record = record(bytes) { return .found(record) }
        let name = sideFile(of: path).lastComponent?.string ?? ""
        return .damaged("\(name) is no record that this version knows")
    }

    /// What is kept in a side file follows the file's new name; an attribute does that by itself.
    package static func move(from old: FilePath, to new: FilePath) throws(DownloadError) {
        guard let bytes = sideFileBytes(of: old) else { return }
        try writeSideFile(bytes, for: new)
        try removeSideFile(of: old)
    }

    /// Removes what is stored for a file that was removed itself, or is no longer of interest.
    package static func remove(of path: FilePath) throws(DownloadError) {
        // A file that is gone has taken its attribute with it.
        try? ExtendedAttributes.remove(attribute, of: path)
        try removeSideFile(of: path)
    }

    /// The file that a side file tells of, nil for any other name.
    ///
    /// A name so long that it had to be cut cannot be told.
    package static func file(ofSideFile path: FilePath) -> FilePath? {
        let name = path.nameBytes
        guard name.first == UInt8(ascii: "."), let stem = path.removing(suffix: suffix),
            stem.nameBytes.count > 1
        else { return nil }
        let file = FilePath(bytes: Array(stem.nameBytes.dropFirst()))
        return path.removingLastComponent().appending(file.components)
    }

    package static func sideFile(of path: FilePath) -> FilePath {
        let hidden = FilePath(bytes: [UInt8(ascii: ".")] + path.nameBytes).shortenedStem
        return path.removingLastComponent().appending(hidden.appending(suffix: suffix).components)
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
