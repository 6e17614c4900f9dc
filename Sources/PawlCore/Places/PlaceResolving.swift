/// The standard folders of a system.
package protocol PlaceResolving: Sendable {
    /// Returns the absolute path of an application's folder; `nil` if the system does not name one
    /// (no `HOME`, no entry in the list of users).
    ///
    /// `application` must be a valid name of a folder.
    func folder(of place: StandardPlace, for application: String) -> String?
}

/// The kinds of standard folders.
package enum StandardPlace: String, Hashable, Sendable, CaseIterable {
    case documents, caches, temporary
    /// The application's own data, such as indexes and queues.
    case data
}

extension Place {
    /// The standard folder; `nil` for a folder given by path.
    package var standard: StandardPlace? {
        switch self {
        case .documents: .documents
        case .caches: .caches
        case .temporary: .temporary
        case .directory: nil
        }
    }
}
