/// The folders of Linux and similar systems: XDG base directories (0.8) and `user-dirs.dirs`.
///
/// Temporary files go to `TMPDIR`, otherwise to `/tmp`. They do not go to `XDG_RUNTIME_DIR`, which
/// is for sockets and in memory; the specification keeps larger files out of it. If a user has
/// disabled the documents folder (by setting it to the home folder), documents go below
/// `XDG_DATA_HOME`.
package struct XDGPlaces: PlaceResolving {
    private let surroundings: PlaceSurroundings

    package init(_ surroundings: PlaceSurroundings) { self.surroundings = surroundings }

    package func folder(of place: StandardPlace, for application: String) -> String? {
        switch place {
        case .caches: base("XDG_CACHE_HOME", ".cache").map { "\($0)/\(application)" }
        case .data: base("XDG_DATA_HOME", ".local/share").map { "\($0)/\(application)" }
        case .documents: documents(application)
        case .temporary: temporary(application)
        case .preferences: base("XDG_CONFIG_HOME", ".config").map { "\($0)/\(application)" }
        case .resources: resources(application)
        case .home: surroundings.home
        }
    }

    /// Returns the path of `user-dirs.dirs`.
    package static func listOfUserDirectories(_ surroundings: PlaceSurroundings) -> String? {
        XDGPlaces(surroundings).base("XDG_CONFIG_HOME", ".config").map { "\($0)/user-dirs.dirs" }
    }

    /// The user's folder for downloads, without `.` and `..`; `nil` if there is no home folder.
    package var downloads: String? {
        let home = surroundings.home?.withoutDots
        let listed = UserDirectories(surroundings.userDirectories, home: home)["DOWNLOAD"]
        let folder = (listed ?? surroundings.path(in: "XDG_DOWNLOAD_DIR"))?.withoutDots
        // A disabled folder is the home folder.
        if let folder, folder != home { return folder }
        return home.map { $0 == "/" ? "/Downloads" : "\($0)/Downloads" }
    }

    private func base(_ variable: String, _ standard: String) -> String? {
        surroundings.path(in: variable)
            ?? surroundings.home.map { $0 == "/" ? "/\(standard)" : "\($0)/\(standard)" }
    }

    private func documents(_ application: String) -> String? {
        let home = surroundings.home
        let listed = UserDirectories(surroundings.userDirectories, home: home)["DOCUMENTS"]
        let folder =
            listed ?? surroundings.path(in: "XDG_DOCUMENTS_DIR") ?? home.map { "\($0)/Documents" }
        guard let folder, folder != home else {
            return self.folder(of: .data, for: application).map { "\($0)/Documents" }
        }
        return "\(folder)/\(application)"
    }

    /// Returns the folder for files that are installed with the program.
    ///
    /// A program in `bin` has them in `share/NAME` beside it (Filesystem Hierarchy Standard 3.0
    /// §4.11), any other program in its own folder.
    private func resources(_ application: String) -> String? {
        guard let folder = surroundings.programFolder else { return nil }
        let suffix = "/bin"
        guard folder.hasSuffix(suffix) else { return folder }
        return "\(folder.dropLast(suffix.utf8.count))/share/\(application)"
    }

    /// Returns the folder for temporary files.
    ///
    /// `/tmp` is shared, so the folder's name contains the user ID.
    private func temporary(_ application: String) -> String? {
        let folder = surroundings.path(in: "TMPDIR") ?? "/tmp"
        return "\(folder)/\(application)-\(surroundings.user)"
    }
}
