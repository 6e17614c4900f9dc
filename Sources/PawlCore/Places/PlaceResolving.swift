/// How a system lays out where files belong.
package protocol PlaceResolving: Sendable {
    /// The absolute path of the folder that an application has there, nil where the system does not
    /// say: no `HOME`, no entry in the list of users.
    ///
    /// `application` is a name, fit to be a folder's.
    func folder(of place: StandardPlace, for application: String) -> String?
}

/// The places that a system has a folder for.
package enum StandardPlace: String, Hashable, Sendable, CaseIterable {
    case documents, caches, temporary
    /// What the application itself keeps: indexes, queues.
    case data
}

extension Place {
    /// Nil for a folder that was named.
    package var standard: StandardPlace? {
        switch self {
        case .documents: .documents
        case .caches: .caches
        case .temporary: .temporary
        case .directory: nil
        }
    }
}
