/// Creates names for files from what servers send: a name, never a path.
package enum FileName {
    /// The maximum length of a name, in bytes.
    ///
    /// It leaves room for `.part.pawl` and a number within the 255 bytes of a file system.
    package static let longestBytes = 240

    /// Whether a user's name is too long for a partial file and a checkpoint.
    package static func isTooLong(_ name: String) -> Bool { name.utf8.count > 245 }

    /// Returns a name that can be created in a folder; `nil` if nothing is left of it.
    ///
    /// The part after the last separator is used. Control characters and replaced non-UTF-8 bytes
    /// become `_`; characters that reorder text are removed. Leading dots are removed, so that no
    /// file is hidden. A leading `-` or `~`, which shell commands would interpret, becomes `_`.
    package static func clean(_ raw: String) -> String? {
        isClean(raw) ? raw : cleaned(raw)
    }

    /// Whether the name needs no cleaning, as is usual.
    private static func isClean(_ raw: String) -> Bool {
        guard let first = raw.utf8.first, first.isLetter || first.isDigit,
            raw.utf8.count <= longestBytes
        else { return false }
        return raw.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_.".utf8.contains($0) }
            && !isReserved(raw)
    }

    private static func cleaned(_ raw: String) -> String? {
        var name = visible(lastComponent(raw)).trimmed
        // This works on scalars: a dot with an accent is one character and still hides a file.
        while name.unicodeScalars.first == "." {
            name = String(name.unicodeScalars.dropFirst()).trimmed
        }
        if let first = name.unicodeScalars.first, first == "-" || first == "~" {
            name = "_" + String(name.unicodeScalars.dropFirst())
        }
        name = disarmed(fitted(FileNameParts(name), within: longestBytes).trimmed)
        return name.isEmpty ? nil : name
    }

    /// Whether a path that others have chosen leads only into the folder that it begins in, and to
    /// names that no program reads by itself.
    package static func isHarmlessPath(_ path: String) -> Bool {
        guard !path.isEmpty, !path.isAbsolutePath, !path.isFolderPath else { return false }
        return path.utf8.split(separator: UInt8(ascii: "/")).allSatisfy { part in
            let name = String(Substring(part))
            return !name.hasPrefix(".") && clean(name) == name
        }
    }

    /// Returns the name with a number: `disk.iso` with 1 is `disk.1.iso`; `archive.tar.gz` is
    /// `archive.1.tar.gz`.
    ///
    /// 0 stands for no number.
    package static func numbered(_ name: String, _ number: Int) -> String {
        guard number > 0 else { return name }
        var parts = FileNameParts(name)
        parts.suffix = ".\(number)" + parts.suffix
        return fitted(parts, within: longestBytes)
    }

    /// Returns the number that `numbered` has put into a name, or one that looks like it; `nil` if
    /// there is none.
    package static func number(in name: String) -> Int? { withoutNumber(name)?.number }

    /// Returns the name without the number that `numbered` has put into it, and the number; `nil`
    /// if there is none.
    package static func withoutNumber(_ name: String) -> (name: String, number: Int)? {
        let parts = FileNameParts(name)
        let stem = parts.stem
        guard let dot = stem.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let digits = stem[stem.utf8.index(after: dot)...].utf8
        guard let first = digits.first, first != UInt8(ascii: "0"),
            digits.allSatisfy(\.isDigit), let number = Int(String(Substring(digits)))
        else { return nil }
        return (String(stem[..<dot]) + parts.suffix, number)
    }

    private static func lastComponent(_ raw: String) -> Substring.UnicodeScalarView {
        let bytes = raw.utf8
        let separator = bytes.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        return raw[(separator.map { bytes.index(after: $0) } ?? bytes.startIndex)...].unicodeScalars
    }

    private static func visible(_ scalars: Substring.UnicodeScalarView) -> String {
        var clean = String.UnicodeScalarView()
        for scalar in scalars where !scalar.reordersText && scalar != "\u{FEFF}" {
            if scalar.properties.isWhitespace {
                clean.append(" ")
            } else {
                let stands = !scalar.isUnsafeToShow && scalar != "\u{FFFD}"
                clean.append(stands ? scalar : "_")
            }
        }
        return String(clean)
    }

    /// Whether Pawl itself uses names of this form for partial files, checkpoints and corrupt
    /// files, with or without a number.
    package static func isReserved(_ name: String) -> Bool { reservedDot(in: name) != nil }

    private static let reservedEndings = [".part", ".pawl", ".corrupt"]

    /// Returns where the ending of a reserved name begins; `nil` if the name is not reserved.
    private static func reservedDot(in name: String) -> String.Index? {
        var rest = Substring(name)
        if let dot = rest.utf8.lastIndex(of: UInt8(ascii: ".")) {
            let last = rest.utf8[dot...].dropFirst()
            let isNumber = !last.isEmpty && last.allSatisfy(\.isDigit)
            if isNumber || rest.hasEnding(".part.pawl.new") { rest = rest[..<dot] }
        }
        guard let ending = reservedEndings.first(where: rest.hasEnding) else { return nil }
        return rest.utf8.index(rest.endIndex, offsetBy: -ending.utf8.count)
    }

    /// Changes a reserved name.
    ///
    /// A server must not choose the name of another download's partial file or checkpoint: a
    /// checkpoint made by an attacker would be trusted when that download begins.
    private static func disarmed(_ name: String) -> String {
        guard let dot = reservedDot(in: name) else { return name }
        return name[..<dot] + "_" + name[name.utf8.index(after: dot)...]
    }

    /// Shortens the stem, between characters if any remain.
    private static func fitted(_ parts: FileNameParts, within limit: Int) -> String {
        let room = max(0, limit - parts.suffix.utf8.count)
        guard parts.stem.utf8.count > room else { return parts.stem + parts.suffix }
        var stem = ""
        for character in parts.stem {
            guard stem.utf8.count + character.utf8.count <= room else { break }
            stem.append(character)
        }
        return (stem.isEmpty ? scalars(of: parts.stem, within: room) : stem) + parts.suffix
    }

    /// Shortens the stem by scalars, because one character can have any length: a letter and
    /// thousands of accents.
    private static func scalars(of stem: String, within room: Int) -> String {
        var cut = String.UnicodeScalarView()
        var count = 0
        for scalar in stem.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= room else { break }
            cut.append(scalar)
        }
        return String(cut)
    }
}

extension Substring {
    /// Whether the text has this ending; `ending` is lower-case ASCII.
    fileprivate func hasEnding(_ ending: String) -> Bool {
        utf8.count >= ending.utf8.count
            && zip(utf8.suffix(ending.utf8.count), ending.utf8).allSatisfy {
                $0 == $1 || ($0.isLetter && $0 | 0x20 == $1)
            }
    }
}
