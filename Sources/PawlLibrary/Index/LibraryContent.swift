package import PawlCore

/// The content of a library's folder.
package struct LibraryContent: Sendable {
    /// The files that are not Pawl's own.
    package var files: [ExactText: FoundFile] = [:]
    /// The notes on unfinished downloads; `nil` for one that cannot be read.
    package var notes: [ExactText: PendingDownload?] = [:]
    /// The unfinished files that have a key, with their final names.
    package var partials: [(key: StorageKey, name: ExactText)] = []

    package init() {}
}
