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
    case documents, caches, temporary, preferences
    /// The application's own data, such as indexes and queues.
    case data
    /// The files that were installed with the program.
    case resources
    /// The user's home folder, which no application owns.
    case home

    /// Whether Pawl may create the folder, because it belongs to the application.
    package var isCreatable: Bool {
        switch self {
        case .documents, .caches, .temporary, .preferences, .data: true
        case .resources, .home: false
        }
    }
}

extension Place {
    /// The standard folder; `nil` for a folder given by path.
    package var standard: StandardPlace? {
        switch self {
        case .documents: .documents
        case .caches: .caches
        case .temporary: .temporary
        case .preferences: .preferences
        case .applicationSupport: .data
        case .resources: .resources
        case .home: .home
        case .directory: nil
        }
    }

    /// Whether cleaning may remove files there.
    package var isCleanable: Bool {
        switch self {
        case .caches, .temporary, .directory: true
        case .documents, .preferences, .applicationSupport, .resources, .home: false
        }
    }
}
