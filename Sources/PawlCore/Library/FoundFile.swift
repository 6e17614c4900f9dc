/// A file of a library's folder as it was found: its status and what is kept of it, never its bytes.
package struct FoundFile: Hashable, Sendable {
    package var stamp: FileStamp
    package var record: RecordFinding
    /// Where the file itself is such a note.
    package var pending: PendingDownload?

    package init(
        stamp: FileStamp,
        record: RecordFinding = .absent,
        pending: PendingDownload? = nil
    ) {
        self.stamp = stamp
        self.record = record
        self.pending = pending
    }

    /// The record where the file is still the one that it was written for.
    package var fittingRecord: FileRecord? {
        guard case .found(let record) = record,
            record.fits(byteCount: stamp.size, modified: stamp.modified)
        else { return nil }
        return record
    }
}

/// What is kept of a file.
package enum RecordFinding: Hashable, Sendable {
    case absent
    case found(FileRecord)
    /// It cannot be read, for that reason.
    case damaged(String)
}

/// Names in a library's folder that are Pawl's own.
package enum LibraryName {
    /// Of the note on an unfinished download; the key's form stands before it.
    package static let pendingSuffix = ".pawl-download"

    /// Whether a file of that name is not the user's: hidden, or a part of one.
    package static func isInternal(_ name: String) -> Bool {
        if name.utf8.first == UInt8(ascii: ".") { return true }
        guard let range = lastRange(of: ".part", in: name) else { return false }
        let rest = name.utf8[range.upperBound...]
        let text = String(Substring(rest))
        // `.part`, `.part.pawl`, and what was set aside: `.part.1`, `.part.pawl.1`.
        let tail = text.hasPrefix(".pawl") ? String(text.dropFirst(5)) : text
        return tail.isEmpty || tail.utf8.first == UInt8(ascii: ".") && Int(tail.dropFirst()) != nil
    }

    /// A user's name, cleaned; nil where nothing is left of it.
    ///
    /// One that would be taken for Pawl's own gets a mark behind it: the file would not be seen again.
    package static func usable(_ name: String) -> String? {
        FileName.clean(name).map { isInternal($0) ? $0 + "_" : $0 }
    }

    package static func pendingName(form: String) -> String { "." + form + pendingSuffix }

    /// The form in the name of a note; nil for any other name.
    package static func form(ofPending name: String) -> String? {
        guard name.utf8.first == UInt8(ascii: "."), name.hasSuffix(pendingSuffix),
            name.utf8.count > pendingSuffix.utf8.count + 1
        else { return nil }
        return String(name.dropFirst().dropLast(pendingSuffix.utf8.count))
    }

    private static func lastRange(of part: String, in text: String) -> Range<String.Index>? {
        let wanted = Array(part.utf8)
        var end = text.utf8.endIndex
        while let start = text.utf8.index(
            end,
            offsetBy: -wanted.count,
            limitedBy: text.utf8.startIndex
        ) {
            if text.utf8[start..<end].elementsEqual(wanted) { return start..<end }
            end = text.utf8.index(before: end)
        }
        return nil
    }
}
