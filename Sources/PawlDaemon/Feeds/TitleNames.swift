internal import struct FoundationEssentials.URL
internal import Pawl
internal import PawlCore

/// The names that the files of a feed get from the titles of its items.
struct TitleNames: Sendable {
    /// The folder of the feed, with a slash at its end.
    private let folder: String
    /// The destinations of other downloads.
    private var taken: Set<ExactText>

    /// - Parameters:
    ///   - folder: The folder of the feed.
    ///   - taken: The destinations of the downloads in the folder, as they are shown.
    init(in folder: String, taken: Set<ExactText>) {
        (self.folder, self.taken) = (folder.asFolderPath, taken)
    }

    /// Returns the name of an item's file, which no other item gets; `nil` if the server names it.
    mutating func take(for item: FeedMemory.Addition) -> String? {
        guard let wanted = Self.name(of: item) else { return nil }
        // Two items may have the same title, whatever the feed does with existing files.
        let free = FreeName.first(of: wanted) { name in
            !taken.contains(shown(name))
                && !LeftoverFiles.isTaken(name, beside: folder, replaces: false)
        }
        guard let free else { return nil }
        taken.insert(shown(free))
        return free
    }

    private func shown(_ name: String) -> ExactText { ExactText((folder + name).sanitized) }

    private static func name(of item: FeedMemory.Addition) -> String? {
        URL(string: item.url).flatMap { url in
            FileName.after(title: item.title, url: url, mediaType: item.mediaType)
        }
    }
}
