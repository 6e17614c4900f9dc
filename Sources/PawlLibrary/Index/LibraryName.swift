internal import PawlCore

/// Names in a library's folder that belong to Pawl.
package enum LibraryName {
    /// The suffix of the note on an unfinished download; the key's encoded form precedes it.
    package static let pendingSuffix = ".pawl-download"

    /// Whether a file of that name is not the user's, because it is hidden or part of a download.
    package static func isInternal(_ name: String) -> Bool {
        if name.utf8.first == UInt8(ascii: ".") { return true }
        guard let range = lastRange(of: ".part", in: name) else { return false }
        let rest = name.utf8[range.upperBound...]
        let text = String(Substring(rest))
        // `.part`, `.part.pawl`, and files that were set aside: `.part.1`, `.part.pawl.1`.
        let tail = text.hasPrefix(".pawl") ? String(text.dropFirst(5)) : text
        return tail.isEmpty || tail.utf8.first == UInt8(ascii: ".") && Int(tail.dropFirst()) != nil
    }

    /// Returns a user's name, cleaned; `nil` if nothing is left of it.
    ///
    /// A name that could be taken for one of Pawl's gets a suffix, because the file would not be
    /// found again.
    package static func usable(_ name: String) -> String? {
        FileName.clean(name).map { isInternal($0) ? $0 + "_" : $0 }
    }

    package static func pendingName(form: String) -> String { "." + form + pendingSuffix }

    /// Returns the encoded form in the name of a note; `nil` for any other name.
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
