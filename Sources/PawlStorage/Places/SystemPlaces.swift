internal import Glibc
package import PawlCore
package import SystemPackage

/// The standard folders of this system.
package struct SystemPlaces: Sendable {
    private let resolver: any PlaceResolving
    private let user: UInt32

    package init(_ resolver: any PlaceResolving, user: UInt32 = getuid()) {
        self.resolver = resolver
        self.user = user
    }

    /// Returns the folders according to the current environment.
    package static func current() throws(DownloadError) -> SystemPlaces {
        var surroundings = try surroundings()
        #if os(Linux)
        surroundings.userDirectories = listOfUserDirectories(surroundings)
        return SystemPlaces(XDGPlaces(surroundings))
        #elseif canImport(Darwin)
        return SystemPlaces(ApplePlaces(surroundings))
        #else
        throw DownloadError(
            .directoryNotUsable,
            "standard folders are known only for Linux and Apple's systems",
            advice: "give the folder's path"
        )
        #endif
    }

    /// The user's folder for downloads according to the current environment; `nil` if there is no
    /// home folder, or the environment is not usable.
    package static var downloads: String? {
        // No folder is better than another one.
        guard var surroundings = try? surroundings() else { return nil }
        surroundings.userDirectories = listOfUserDirectories(surroundings)
        return XDGPlaces(surroundings).downloads
    }

    /// Returns the current environment, without the list of the user's folders.
    ///
    /// Throws `.directoryNotUsable` if the path in a variable is not UTF-8.
    package static func surroundings() throws(DownloadError) -> PlaceSurroundings {
        var surroundings = PlaceSurroundings(
            variables: try variables(),
            homeOfUser: homeOfUser,
            user: getuid()
        )
        surroundings.program = OwnProgram.path
        return surroundings
    }

    /// Returns the folder of an application without creating it.
    package func path(
        of place: StandardPlace,
        for application: StorageKey
    ) throws(DownloadError) -> FilePath {
        let name = application.applicationName
        if let path = resolver.folder(of: place, for: name) {
            return earlierPath(of: place, for: application, besides: name) ?? FilePath(path)
        }
        guard place != .resources else {
            throw DownloadError(
                .directoryNotUsable,
                "cannot find the program's resources: the system does not report the program's path",
                advice: "give the folder's path",
                context: "finding the resources of \(application.text)"
            )
        }
        throw DownloadError(
            .directoryNotUsable,
            "cannot find the folder for the user's \(place.rawValue): there is no home folder",
            advice: "set HOME, or give the folder's path",
            context: "finding the folder of \(application.text)"
        )
    }

    /// Returns the folder if it exists under a name that earlier versions gave it.
    ///
    /// Temporary files are not worth a search: another user could have made such a folder.
    private func earlierPath(
        of place: StandardPlace,
        for application: StorageKey,
        besides current: String
    ) -> FilePath? {
        guard place != .temporary else { return nil }
        for name in [application.readableName, application.fileName] where name != current {
            guard let earlier = resolver.folder(of: place, for: name) else { continue }
            // A folder that cannot be examined counts as missing.
            let status = try? FilePath(earlier).status()
            if status?.isDirectory == true { return FilePath(earlier) }
        }
        return nil
    }

    /// Returns the folder, which exists when this returns.
    ///
    /// Only the user can access folders that are created. The home folder and the program's
    /// resources are not created, and need not be writable.
    package func prepare(
        _ place: StandardPlace,
        for application: StorageKey
    ) throws(DownloadError) -> FilePath {
        let path = try path(of: place, for: application)
        guard place.isCreatable else {
            try Self.requireFolder(path)
            return path
        }
        try Self.prepareOwn(path)
        if place == .temporary { try checkOwner(path) }
        return path
    }

    private static func requireFolder(_ path: FilePath) throws(DownloadError) {
        try attempt(.prepareFolder, path) { () throws(Errno) in
            guard let status = try path.targetStatus() else { throw .noSuchFileOrDirectory }
            guard status.isDirectory else { throw .notDirectory }
        }
    }

    /// Checks the owner.
    ///
    /// The parent folder is shared: another user may have created this one, to read its files or to
    /// redirect it.
    private func checkOwner(_ path: FilePath) throws(DownloadError) {
        let status = try attempt(.prepareFolder, path, path.status())
        guard let status, status.isDirectory, status.owner == user, status.permissions & 0o022 == 0
        else {
            throw DownloadError(
                .directoryNotUsable,
                "\(path) exists, but other users can access it",
                advice: "remove it, or set TMPDIR to a private folder",
                context: "preparing the folder \(path)"
            )
        }
    }

    /// Creates the program's own folder.
    private static func prepareOwn(_ path: FilePath) throws(DownloadError) {
        try own(path) { () throws(DownloadError) in
            try FolderPreparation.prepare(path, mode: 0o700)
        }
    }

    /// Does something with the program's own folder, which environment variables name, not an
    /// option.
    private static func own<Value>(
        _ path: FilePath,
        _ body: () throws(DownloadError) -> Value
    ) throws(DownloadError) -> Value {
        do throws(DownloadError) {
            return try body()
        } catch {
            var error = error
            error.guidance =
                "make \(path) writable, or choose another folder with HOME or with the variable of the XDG "
                + "folder that contains it (such as XDG_STATE_HOME or XDG_RUNTIME_DIR)"
            throw error
        }
    }

    /// Creates a folder that only the user can access.
    package static func preparePrivate(_ path: FilePath) throws(DownloadError) {
        try prepareOwn(path)
        try checkPrivate(path)
    }

    /// Checks that no other user can access the folder; a folder that does not exist passes.
    package static func checkPrivate(_ path: FilePath) throws(DownloadError) {
        let found = try own(path) { () throws(DownloadError) in
            try attempt(.prepareFolder, path, path.status())
        }
        guard let status = found else { return }
        guard status.isDirectory, status.owner == getuid(), status.permissions & 0o077 == 0 else {
            throw DownloadError(
                .directoryNotUsable,
                "\(path) exists, but other users can access it",
                advice: "make it private with chmod 700, or remove it",
                context: "preparing the folder \(path)"
            )
        }
    }

    private static func variables() throws(DownloadError) -> [String: String] {
        let names = [
            "HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
            "XDG_DOCUMENTS_DIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
        ]
        var variables: [String: String] = [:]
        for name in names {
            guard let value = getenv(name) else { continue }
            // Replaced bytes would make it the path of another folder.
            guard let path = String(validatingCString: value) else {
                throw DownloadError(
                    .directoryNotUsable,
                    "the path in the environment variable \(name) is not UTF-8",
                    advice: "set it to a path in UTF-8, such as that of a symbolic link"
                )
            }
            variables[name] = path
        }
        return variables
    }

    private static var homeOfUser: String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var texts = [CChar](repeating: 0, count: 16 * 1024)
        return texts.withUnsafeMutableBufferPointer { texts in
            guard let start = texts.baseAddress,
                getpwuid_r(getuid(), &entry, start, texts.count, &found) == 0, found != nil,
                let folder = entry.pw_dir
            else { return nil }
            return String(validatingCString: folder)
        }
    }

    private static func listOfUserDirectories(_ surroundings: PlaceSurroundings) -> String {
        guard let path = XDGPlaces.listOfUserDirectories(surroundings) else { return "" }
        // Most servers have no such file. One that cannot be read counts as missing.
        let file = try? OpenFile(FilePath(path), O_RDONLY | O_NONBLOCK)
        let bytes = file.flatMap { try? $0.contents(limit: 64 * 1024) }
        return bytes.flatMap { String(validating: $0, as: UTF8.self) } ?? ""
    }
}
