/// The readable form of a key in names of files and folders.
///
/// No two keys have the same form on any file system, even if it ignores case or normalizes
/// Unicode. Of these, a form has only those that are safe there:
///
/// - letters and digits of all scripts, with their vowel signs, as far as case folding and
///   normalization (NFC) leave them as they are;
/// - `_`; `-` except at the beginning; spaces except at the ends;
/// - dots except at the ends, before another dot, and before the endings of Pawl's own files.
///
/// Each byte of every other scalar becomes `%` and two lower-case hexadecimal digits. This includes
/// capital letters, and accents that could be part of the letter before them: `é` stays if it is
/// one scalar, and is `e%cc%81` if it is two. So does the first letter of a name that Windows
/// reserves for a device. The empty key is `%`. A form longer than `longestPlain` bytes is cut to
/// `longestHead`, followed by `%%` and the SHA-256 of the key; `%%` is in no other form.
struct ReadableKeyName {
    /// The form of each scalar of the key.
    private let parts: [String]

    init(_ key: StorageKey) {
        let scalars = Array(key.text.unicodeScalars)
        guard !scalars.isEmpty else {
            parts = ["%"]
            return
        }
        let isDevice = Self.isDevice(scalars.prefix { $0 != "." })
        var parts: [String] = []
        var before: Unicode.Scalar?
        for (index, scalar) in scalars.enumerated() {
            let isKept =
                scalar.isASCII
                ? Self.keepsASCII(scalars, at: index) && !(index == 0 && isDevice)
                : Self.keeps(scalar, after: before)
            before = isKept ? scalar : nil
            parts.append(isKept ? String(scalar) : Self.escaped(scalar))
        }
        self.parts = parts
    }

    var whole: String { parts.joined() }

    /// As much of the form as fits, without a cut within an escape.
    func head(atMost limit: Int) -> String {
        var head = ""
        for part in parts {
            guard head.utf8.count + part.utf8.count <= limit else { break }
            head += part
        }
        return head
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        UTF8.encode(scalar)?.map { "%" + $0.hexadecimal }.joined() ?? ""
    }

    // MARK: - ASCII

    private static func keepsASCII(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
        let isInside = index > 0 && index < scalars.count - 1
        return switch scalars[index] {
        case "a"..."z", "0"..."9", "_": true
        case "-": index > 0
        case " ": isInside
        case ".": isInside && !isEnding(scalars[(index + 1)...])
        default: false
        }
    }

    /// Whether a dot before this text would make it an ending of Pawl's own files, or `..`.
    private static func isEnding(_ rest: ArraySlice<Unicode.Scalar>) -> Bool {
        let label = rest.prefix { $0 != "." }
        return label.isEmpty || ["part", "pawl", "corrupt"].contains(text(label))
    }

    /// Whether Windows reserves the name, with any suffix, for a device.
    private static func isDevice(_ label: ArraySlice<Unicode.Scalar>) -> Bool {
        let name = text(label)
        if ["con", "prn", "aux", "nul"].contains(name) { return true }
        guard name.utf8.count == 4, name.utf8.last?.isDigit == true else { return false }
        return name.hasPrefix("com") || name.hasPrefix("lpt")
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    // MARK: - Other scripts

    /// Whether a scalar stays as it is after the given one; `nil` is the beginning, or an escape.
    ///
    /// Combining marks are kept only in canonical order. Then the form is in NFC (UAX #15,
    /// "Detecting Normalization Forms"), so no other form is canonically equivalent to it.
    private static func keeps(_ scalar: Unicode.Scalar, after before: Unicode.Scalar?) -> Bool {
        let properties = scalar.properties
        guard isKnown(properties), !properties.isDefaultIgnorableCodePoint,
            hasOneCase(scalar), !changesInNFC(scalar.value)
        else { return false }
        switch properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .decimalNumber:
            return properties.canonicalCombiningClass == .notReordered
        case .nonspacingMark, .spacingMark:
            guard let before, !before.isASCII else { return false }
            let order = properties.canonicalCombiningClass
            return order == .notReordered || before.properties.canonicalCombiningClass <= order
        default:
            return false
        }
    }

    /// Whether the scalar belongs to Unicode 14, whose rules `sensitive` lists.
    private static func isKnown(_ properties: Unicode.Scalar.Properties) -> Bool {
        (properties.age?.major ?? .max) <= 14
    }

    /// Whether no other letter is equal to this one where case is ignored.
    private static func hasOneCase(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        let upper = properties.uppercaseMapping.unicodeScalars
        guard !properties.changesWhenCaseFolded,
            properties.lowercaseMapping.unicodeScalars.elementsEqual([scalar]),
            let capital = upper.first, upper.count == 1
        else { return false }
        return capital == scalar
            || capital.properties.lowercaseMapping.unicodeScalars.elementsEqual([scalar])
    }

    private static func changesInNFC(_ value: UInt32) -> Bool {
        var (low, high) = (0, sensitive.count)
        while low < high {
            let middle = (low + high) / 2
            if sensitive[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < sensitive.count && sensitive[low].contains(value)
    }

    /// The letters and marks of Unicode 14 for which the property NFC_Quick_Check is not Yes.
    private static let sensitive: [ClosedRange<UInt32>] = [
        0x300...0x304, 0x306...0x30C, 0x30F...0x30F, 0x311...0x311, 0x313...0x314, 0x31B...0x31B,
        0x323...0x328, 0x32D...0x32E, 0x330...0x331, 0x338...0x338, 0x340...0x345, 0x374...0x374,
        0x653...0x655, 0x93C...0x93C, 0x958...0x95F, 0x9BE...0x9BE, 0x9D7...0x9DF, 0xA33...0xA33,
        0xA36...0xA36, 0xA59...0xA5B, 0xA5E...0xA5E, 0xB3E...0xB3E, 0xB56...0xB5D, 0xBBE...0xBBE,
        0xBD7...0xBD7, 0xC56...0xC56, 0xCC2...0xCC2, 0xCD5...0xCD6, 0xD3E...0xD3E, 0xD57...0xD57,
        0xDCA...0xDCF, 0xDDF...0xDDF, 0xF43...0xF43, 0xF4D...0xF4D, 0xF52...0xF52, 0xF57...0xF57,
        0xF5C...0xF5C, 0xF69...0xF69, 0xF73...0xF73, 0xF75...0xF76, 0xF78...0xF78, 0xF81...0xF81,
        0xF93...0xF93, 0xF9D...0xF9D, 0xFA2...0xFA2, 0xFA7...0xFA7, 0xFAC...0xFAC, 0xFB9...0xFB9,
        0x102E...0x102E, 0x1161...0x1175, 0x11A8...0x11C2, 0x1B35...0x1B35, 0x1F71...0x1F71,
        0x1F73...0x1F73, 0x1F75...0x1F75, 0x1F77...0x1F77, 0x1F79...0x1F79, 0x1F7B...0x1F7B,
        0x1F7D...0x1F7D, 0x1FBB...0x1FBB, 0x1FBE...0x1FBE, 0x1FC9...0x1FC9, 0x1FCB...0x1FCB,
        0x1FD3...0x1FD3, 0x1FDB...0x1FDB, 0x1FE3...0x1FE3, 0x1FEB...0x1FEB, 0x1FF9...0x1FF9,
        0x1FFB...0x1FFB, 0x2126...0x2126, 0x212A...0x212B, 0x3099...0x309A, 0xF900...0xFAD9,
        0xFB1D...0xFB4E, 0x110BA...0x110BA, 0x11127...0x11127, 0x1133E...0x11357,
        0x114B0...0x114BD, 0x115AF...0x115AF, 0x11930...0x11930, 0x2F800...0x2FA1D,
    ]
}

extension StorageKey {
    /// The readable form if it needs no digest.
    package var readableForm: String? {
        let form = ReadableKeyName(self).whole
        return form.utf8.count <= Self.longestPlain ? form : nil
    }

    /// Returns the readable form of a key that is too long, with its SHA-256 in hexadecimal.
    package func shortenedReadableForm(digest: String) -> String {
        "\(ReadableKeyName(self).head(atMost: Self.longestHead))%%\(digest)"
    }

    /// Decodes a readable form; `nil` if it is not one.
    package init?(readableForm: String) {
        self.init(percentEncoded: readableForm)
        guard self.readableForm?.utf8.elementsEqual(readableForm.utf8) == true else { return nil }
    }
}
