/// The folders of Apple's systems, as `FileManager.urls(for:in:)` returns them in the user's domain.
package struct ApplePlaces: PlaceResolving {
    private let surroundings: PlaceSurroundings

    package init(_ surroundings: PlaceSurroundings) { self.surroundings = surroundings }

    package func folder(of place: StandardPlace, for application: String) -> String? {
        switch place {
        case .documents: below("Documents", application)
        case .caches: below("Library/Caches", application)
        case .data: below("Library/Application Support", application)
        case .preferences: below("Library/Preferences", application)
        case .home: surroundings.home
        case .resources: resources
        case .temporary:
            // The system's own TMPDIR belongs to the user alone; /tmp does not.
            "\(surroundings.path(in: "TMPDIR") ?? "/tmp")/\(application)-\(surroundings.user)"
        }
    }

    /// The resources of the program's bundle; the program's folder if it has no bundle.
    private var resources: String? {
        guard let folder = surroundings.programFolder else { return nil }
        let suffix = ".app/Contents/MacOS"
        guard folder.hasSuffix(suffix) else { return folder }
        return "\(folder.dropLast("MacOS".utf8.count))Resources"
    }

    private func below(_ folder: String, _ application: String) -> String? {
        surroundings.home.map { "\($0)/\(folder)/\(application)" }
    }
}
