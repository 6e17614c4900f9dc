internal import Glibc
package import PawlCore
package import SystemPackage

/// Where files belong on this system.
package struct SystemPlaces: Sendable {
    private let resolver: any PlaceResolving
    private let user: UInt32

    package init(_ resolver: any PlaceResolving, user: UInt32 = getuid()) {
        self.resolver = resolver
        self.user = user
    }

    /// As the environment says it now.
    package static func current() throws(DownloadError) -> SystemPlaces {
        var surroundings = surroundings
        #if os(Linux)
        surroundings.userDirectories = listOfUserDirectories(surroundings)
        return SystemPlaces(XDGPlaces(surroundings))
        #elseif os(macOS)
        return SystemPlaces(ApplePlaces(surroundings))
        #else
        throw DownloadError(
            .directoryNotUsable,
            "where files belong is known for Linux and macOS only",
            advice: "name the folder"
        )
        #endif
    }

    /// Where the user's downloads go, as the environment says it now; nil where there is no home.
    package static var downloads: String? {
        var surroundings = surroundings
        surroundings.userDirectories = listOfUserDirectories(surroundings)
        return XDGPlaces(surroundings).downloads
    }

    /// The environment as it is now, without the list of the user's folders.
    package static var surroundings: PlaceSurroundings {
        PlaceSurroundings(variables: variables, homeOfUser: homeOfUser, user: getuid())
    }

    /// The folder of an application; nothing is created.
    package func path(
        of place: StandardPlace,
        for application: StorageKey
    ) throws(DownloadError) -> FilePath {
        if let path = resolver.folder(of: place, for: application.fileName) {
            return FilePath(path)
        }
        throw DownloadError(
            .directoryNotUsable,
            "nothing says where the user's \(place.rawValue) are: there is no home folder",
            advice: "set HOME, or name the folder",
            context: "looking for the folder of \(application.text)"
        )
    }

    /// The folder, which is there when this returns.
    ///
    /// What is created is the user's alone.
    package func prepare(
        _ place: StandardPlace,
        for application: StorageKey
    ) throws(DownloadError) -> FilePath {
        let path = try path(of: place, for: application)
        try Self.prepareOwn(path)
        if place == .temporary { try checkOwner(path) }
        return path
    }

    /// The folder above is everybody's: somebody else may have made this one, to read what is put in
    /// it or to have it lead elsewhere.
    private func checkOwner(_ path: FilePath) throws(DownloadError) {
        let status = try attempt(.prepareFolder, path) { () throws(Errno) in try path.status() }
        guard let status, status.isDirectory, status.owner == user, status.permissions & 0o022 == 0
        else {
            throw DownloadError(
                .directoryNotUsable,
                "\(path) is there already and is not this user's alone",
                advice: "remove it, or set TMPDIR to a folder of your own",
                context: "preparing the folder \(path)"
            )
        }
    }

    /// No option names a program's own folder: the variables of the environment do.
    private static func prepareOwn(_ path: FilePath) throws(DownloadError) {
        do throws(DownloadError) {
            try FolderPreparation.prepare(path, mode: 0o700)
        } catch {
            var error = error
            error.advice =
                "make \(path) writable, or name another place with HOME or the variable of the XDG "
                + "folders that it is in (such as XDG_STATE_HOME)"
            throw error
        }
    }

    /// Makes a folder that is the user's alone; nobody else may look into it.
    package static func preparePrivate(_ path: FilePath) throws(DownloadError) {
        try prepareOwn(path)
        let status = try attempt(.prepareFolder, path) { () throws(Errno) in try path.status() }
        guard let status, status.isDirectory, status.owner == getuid(),
            status.permissions & 0o077 == 0
        else {
            throw DownloadError(
                .directoryNotUsable,
                "\(path) is there already and is not this user's alone",
                advice: "make it so: chmod 700, or remove it",
                context: "preparing the folder \(path)"
            )
        }
    }

    private static var variables: [String: String] {
        let names = [
            "HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
            "XDG_DOCUMENTS_DIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
        ]
        let pairs = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
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
            return String(cString: folder)
        }
    }

    private static func listOfUserDirectories(_ surroundings: PlaceSurroundings) -> String {
        guard let path = XDGPlaces.listOfUserDirectories(surroundings) else { return "" }
        // Most servers have no such file; one that may not be read says nothing either.
        let file = try? OpenFile(FilePath(path), O_RDONLY | O_NONBLOCK)
        let bytes = file.flatMap { try? $0.contents(limit: 64 * 1024) }
        return bytes.flatMap { String(validating: $0, as: UTF8.self) } ?? ""
    }
}
