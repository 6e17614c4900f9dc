package import PawlCore

/// The settings to give to a label; a value that is `nil` stays as it is.
package struct LabelSettings: Codable, Sendable, Hashable, RequestObject {
    private enum CodingKeys: CodingKey, CaseIterable {
        case name, folder, limitBytesPerSecond, priority
    }

    package static let knownMembers = KnownMembers(CodingKeys.self)

    package var name: String
    /// The absolute path of the folder for downloads that are added without a folder; an empty one
    /// removes it.
    package var folder: String?
    /// The maximum speed of its downloads together; 0 means no limit.
    package var limitBytesPerSecond: Int64?
    /// The priority of downloads that are added without a priority.
    package var priority: WirePriority?

    package init(name: String) { self.name = name }

    /// The settings of a label.
    package init(_ label: WireLabel) {
        name = label.name
        (folder, limitBytesPerSecond) = (label.folder, label.limitBytesPerSecond)
        priority = label.priority
    }

    /// Checks the settings.
    ///
    /// Throws `.usage`.
    package func check() throws(DownloadError) {
        try LabelName.check(name)
        if let folder, !folder.isEmpty {
            // Below it, there must be room for the path of a file.
            guard folder.isAbsolutePath, !folder.utf8.contains(0), folder.utf8.count < 3072 else {
                throw .usage(
                    "'\(folder.sanitized(atMost: 100))' is not the absolute path of a folder",
                    advice: "give a path such as /home/me/Images"
                )
            }
        }
        if let limit = limitBytesPerSecond, limit < 0 {
            throw .usage(
                "'limitBytesPerSecond' is \(limit)",
                advice: "give more than 0, or 0 for no limit"
            )
        }
    }
}

/// The rules for names of labels.
package enum LabelName {
    /// The word that stands for no label.
    package static let none = "none"

    private static let mostBytes = 100

    /// Throws `.usage` if a text cannot be the name of a label.
    package static func check(_ name: String) throws(DownloadError) {
        guard (1...mostBytes).contains(name.utf8.count), !name.holdsUnsafeToShow,
            !name.utf8.contains(UInt8(ascii: ",")), name.first != " ", name.last != " ",
            name != none
        else {
            throw .usage(
                "invalid label '\(name.sanitized(atMost: 40))'",
                advice:
                    "use 1 to \(mostBytes) bytes without commas, control characters, and spaces "
                    + "at the ends; '\(none)' means no label"
            )
        }
    }
}
