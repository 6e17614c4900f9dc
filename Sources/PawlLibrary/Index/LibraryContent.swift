package import PawlCore

/// The content of a library's folder.
package struct LibraryContent: Sendable {
    /// The files that are not Pawl's own.
    package var files: [String: FoundFile] = [:]
    /// The notes on unfinished downloads; `nil` for one that cannot be read.
    package var notes: [String: PendingDownload?] = [:]
    /// The unfinished files that have a key, with their final names.
    package var partials: [(key: StorageKey, name: String)] = []

    package init() {}
}
