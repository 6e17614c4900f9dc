internal import Glibc
internal import PawlCore
package import SystemPackage

/// What a finished file is of, kept with it: so the same file is not fetched twice.
package struct RepresentationMark: Hashable {
    let total: Int64
    let entityTag: EntityTag?
    let lastModified: String?
    let lastModifiedIsOld: Bool

    /// Nil where a validator cannot be put on a line.
    init?(_ representation: Representation, total: Int64) {
        let texts = [representation.entityTag?.opaque, representation.lastModified]
        guard !texts.contains(where: { $0?.holdsUnsafeToShow ?? false }) else { return nil }
        self.total = total
        entityTag = representation.entityTag
        lastModified = representation.lastModified
        lastModifiedIsOld = representation.lastModifiedIsOld
    }

    /// Whether equal marks mean equal bytes.
    var isStrong: Bool {
        if let entityTag, !entityTag.isWeak { return true }
        return lastModified != nil && lastModifiedIsOld
    }

    /// The time of the file's last change goes with it: a file edited since is another one.
    func put(on file: OpenFile) {
        guard let time = try? file.status().modifiedNanoseconds else { return }
        ExtendedAttribute.representation.put(text + "\n\(time)", on: file)
    }

    func isOn(_ file: OpenFile) -> Bool {
        // Without its time the file is simply fetched again.
        guard let time = try? file.status().modifiedNanoseconds else { return false }
        return ExtendedAttribute.representation.text(of: file) == text + "\n\(time)"
    }

    /// What a download has left on the file that it finished, nil where there is nothing, or the file was
    /// written to since.
    static func found(on path: FilePath) -> (total: Int64, tag: EntityTag?, lastModified: String?)?
    {
        // Nothing that can be read is nothing.
        guard let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            let status = try? file.status(),
            let lines = ExtendedAttribute.representation.text(of: file)?
                .split(separator: "\n", omittingEmptySubsequences: false),
            lines.count == 6, lines[0] == "1", let total = Int64(lines[1]), total == status.size,
            lines[5] == "\(status.modifiedNanoseconds)"
        else { return nil }
        let tag = lines[2] == "-" ? nil : EntityTag(lenient: String(lines[2]))
        return (total, tag, lines[3] == "-" ? nil : String(lines[3]).sanitized)
    }

    /// Makes a file to be fetched again where it is asked for, whatever the server says of it.
    package static func remove(from path: FilePath) {
        // A file without one is fetched again in any case.
        try? ExtendedAttributes.remove("user.pawl.representation", of: path)
    }

    private var text: String {
        let tag = entityTag.map { ($0.isWeak ? "W/" : "") + $0.opaque } ?? "-"
        let age = lastModifiedIsOld ? "old" : "fresh"
        return "1\n\(total)\n\(tag)\n\(lastModified ?? "-")\n\(age)"
    }
}
