internal import PawlCore

/// What a finished file is of, kept with it: so the same file is not fetched twice.
struct RepresentationMark: Hashable {
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

    private var text: String {
        let tag = entityTag.map { ($0.isWeak ? "W/" : "") + $0.opaque } ?? "-"
        let age = lastModifiedIsOld ? "old" : "fresh"
        return "1\n\(total)\n\(tag)\n\(lastModified ?? "-")\n\(age)"
    }
}
