internal import Glibc
package import PawlCore
package import SystemPackage
package import struct FoundationEssentials.URL

/// The representation of a finished file, stored with it so that the same file is not fetched
/// twice.
package struct RepresentationMark: Hashable {
    let total: Int64
    let entityTag: EntityTag?
    let lastModified: String?
    let lastModifiedIsOld: Bool
    /// Whether equal marks mean equal bytes.
    let isStrong: Bool
    /// The mark of the source URL; `nil` if an earlier version wrote it.
    let source: SourceMark?
    /// Whether the response proved the file's length.
    ///
    /// A file whose response ended with its connection may be a part of the server's file.
    let isLengthVerified: Bool

    /// Returns `nil` if a validator cannot be stored on one line.
    init?(
        _ representation: Representation,
        total: Int64,
        source: SourceMark? = nil,
        isLengthVerified: Bool = false
    ) {
        let texts = [representation.entityTag?.opaque, representation.lastModified]
        guard !texts.contains(where: { $0?.holdsUnsafeToShow ?? false }) else { return nil }
        self.total = total
        entityTag = representation.entityTag
        lastModified = representation.lastModified
        lastModifiedIsOld = representation.lastModifiedIsOld
        isStrong = representation.validatorStrength == .strong
        self.source = source
        self.isLengthVerified = isLengthVerified
    }

    /// Stores the mark with the file's modification time, so that an edited file no longer matches
    /// it.
    func put(on file: OpenFile) {
        guard let time = try? file.status().modifiedNanoseconds else { return }
        var lines = [text, "\(time)"]
        if let source {
            lines.append(source.text)
            if isLengthVerified { lines.append(Self.verified) }
        }
        TextAttribute.representation.put(lines.joined(separator: "\n"), on: file)
    }

    /// The eighth line, if the length is verified.
    private static let verified = "verified"

    /// Whether the mark on a file records that its length was verified.
    static func isLengthVerified(on file: OpenFile, at path: FilePath) -> Bool {
        lines(of: file, at: path)?.dropFirst(7).first == verified[...]
    }

    func isOn(_ file: OpenFile, at path: FilePath) -> Bool {
        // Without the time the file is simply fetched again.
        guard let time = try? file.status().modifiedNanoseconds else { return false }
        return Self.lines(of: file, at: path)?.prefix(6).joined(separator: "\n") == text
            + "\n\(time)"
    }

    /// Whether a file came from one of these URLs, as far as is known: earlier versions did not
    /// record it.
    static func isOf(_ urls: [URL], _ file: OpenFile, at path: FilePath) -> Bool {
        guard let source = record(of: file, at: path)?.source else { return true }
        return urls.contains { source.matches($0) }
    }

    /// Whether a file of that length came from one of these URLs, has not been written to since,
    /// and has the server's validators.
    package static func identifies(
        _ path: FilePath,
        of urls: [URL],
        _ representation: Representation
    ) -> Bool {
        // A mark that cannot be read proves nothing.
        guard let total = representation.total,
            let mark = RepresentationMark(representation, total: total),
            let file = try? OpenFile(path, O_RDONLY | O_NONBLOCK),
            let status = try? file.status(), status.isRegular, status.size == total,
            let lines = lines(of: file, at: path), lines.count >= 7,
            lines.prefix(4).elementsEqual(mark.text.split(separator: "\n").prefix(4)),
            lines[5] == "\(status.modifiedNanoseconds)",
            let source = SourceMark(text: String(lines[6]))
        else { return false }
        return urls.contains { source.matches($0) }
    }

    /// Whether Pawl fetched the file at `path` from one of these URLs, and nobody has written to it
    /// since.
    package static func isUnchanged(_ path: FilePath, of urls: [URL]) -> Bool {
        // A mark that cannot be read proves nothing.
        (try? OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)).map { file in
            isUnchanged(file, at: path, of: urls)
        } ?? false
    }

    private static func isUnchanged(_ file: OpenFile, at path: FilePath, of urls: [URL]) -> Bool {
        guard let status = try? file.status(), status.isRegular,
            let lines = lines(of: file, at: path), lines.count >= 7, lines[1] == "\(status.size)",
            lines[5] == "\(status.modifiedNanoseconds)",
            let source = SourceMark(text: String(lines[6]))
        else { return false }
        return urls.contains { source.matches($0) }
    }

    /// Whether a file has a mark that shows that it is not, or no longer, as Pawl fetched it from one
    /// of these URLs.
    package static func isOutdated(on path: FilePath, of urls: [URL]) -> Bool {
        guard let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            lines(of: file, at: path) != nil
        else { return false }
        return !isUnchanged(file, at: path, of: urls)
    }

    /// The lines of the mark: six, a seventh if the URL is recorded, and an eighth if the length is
    /// verified; `nil` if there are others, or another user could have written them.
    private static func lines(of file: OpenFile, at path: FilePath) -> [Substring]? {
        guard let status = try? file.status(),
            FileOwnership.isTrusted(status, in: path.folder)
        else { return nil }
        let lines = TextAttribute.representation.text(of: file)?
            .split(separator: "\n", omittingEmptySubsequences: false)
        return lines.flatMap { (6...8).contains($0.count) ? $0 : nil }
    }

    /// Returns the mark of a download on its finished file; `nil` if there is none, or the file has
    /// been written to since.
    package static func found(on path: FilePath) -> (
        total: Int64, tag: EntityTag?, lastModified: String?
    )? {
        // A mark that cannot be read counts as missing.
        guard let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            let status = try? file.status(),
            let lines = lines(of: file, at: path), lines[0] == "1",
            let total = Int64(lines[1]), total == status.size,
            lines[5] == "\(status.modifiedNanoseconds)"
        else { return nil }
        let tag = lines[2] == "-" ? nil : EntityTag(lenient: String(lines[2]))
        return (total, tag, lines[3] == "-" ? nil : String(lines[3]).sanitized)
    }

    /// Removes the mark, so that the next request fetches the file again, whatever the server's
    /// validators are.
    package static func remove(from path: FilePath) {
        // A file without a mark is fetched again in any case.
        TextAttribute.representation.remove(from: path)
    }

    /// The lines that files with the same bytes have in common: the size and the validators.
    private var key: String { text.split(separator: "\n").prefix(4).joined(separator: "\n") }

    /// The mark on a file, as far as it can be compared without the file.
    struct Record: Sendable {
        /// The size and the validators.
        let key: String
        let source: SourceMark?
    }

    /// Returns the record of a file; `nil` if it has none.
    static func record(of file: OpenFile, at path: FilePath) -> Record? {
        guard let lines = lines(of: file, at: path) else { return nil }
        let source = lines.count > 6 ? SourceMark(text: String(lines[6])) : nil
        return Record(key: lines.prefix(4).joined(separator: "\n"), source: source)
    }

    /// Returns the key that the record of a finished file of this representation has; `nil` if no
    /// file can be proven to be the same.
    static func key(of representation: Representation) -> String? {
        guard let total = representation.total else { return nil }
        return RepresentationMark(representation, total: total)?.key
    }

    private var text: String {
        let tag = entityTag.map { ($0.isWeak ? "W/" : "") + $0.opaque } ?? "-"
        let age = lastModifiedIsOld ? "old" : "fresh"
        return "1\n\(total)\n\(tag)\n\(lastModified ?? "-")\n\(age)"
    }
}
