import Glibc
import PawlCore
import PawlStorage
import SystemPackage
import Testing

/// Contract: where files belong, "folders of our own 0700".
@Suite(.timeLimit(.minutes(5)))
struct SystemPlacesTests {
    /// All places below one folder.
    private struct Below: PlaceResolving {
        let path: FilePath

        func folder(of place: StandardPlace, for application: String) -> String? {
            place == .data ? nil : path.appending("\(place.rawValue)/\(application)").string
        }
    }

    @Test(arguments: [StandardPlace.documents, .caches, .temporary, .preferences])
    func `a place is created with its parents, for the user alone`(place: StandardPlace) throws {
        let folder = try StorageFolder()
        let places = SystemPlaces(Below(path: folder.path))
        let path = try places.prepare(place, for: "org.example.App")
        #expect(path.lastComponent?.string == "org.example.App")
        for made in [path, path.removingLastComponent()] {
            var status = stat()
            #expect(lstat(made.string, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o700)
        }
        #expect(try places.prepare(place, for: "org.example.App") == path)
    }

    @Test func `if the system does not define a place, the error gives advice`() throws {
        let places = SystemPlaces(Below(path: "/"))
        let error = failure { _ = try places.path(of: .data, for: "app") }
        #expect(error?.code == .directoryNotUsable)
        #expect(error?.advice.contains("HOME") == true)
    }

    @Test func `a folder that an earlier version has named is used`() throws {
        let folder = try StorageFolder()
        let places = SystemPlaces(Below(path: folder.path))
        let earlier = "org%2eexample%2eplayer"
        for place in ["caches", "temporary"] {
            try folder.makeFolder(place)
            try folder.makeFolder("\(place)/\(earlier)")
        }
        let caches = try places.prepare(.caches, for: "org.example.player")
        #expect(caches.lastComponent?.string == earlier)
        #expect(
            try places.path(of: .documents, for: "org.example.player").lastComponent?.string
                == "org.example.player"
        )
        #expect(
            try places.path(of: .temporary, for: "org.example.player").lastComponent?.string
                == "org.example.player"
        )
    }

    @Test func `a private folder below a file is refused with advice on the variables`() throws {
        let folder = try StorageFolder()
        try folder.makeFolder("run")
        let file = folder.path.appending("run/file")
        #expect(creat(file.string, 0o600) >= 0)
        for path in [file.appending("pawl"), file.appending("a/pawl")] {
            let error = failure { try SystemPlaces.preparePrivate(path) }
            #expect(error?.code == .directoryNotUsable)
            #expect(error?.advice.contains("XDG_RUNTIME_DIR") == true)
            let checked = failure { try SystemPlaces.checkPrivate(path) }
            #expect(checked?.advice.contains("XDG_RUNTIME_DIR") == true)
        }
    }

    @Test(arguments: ["%50layer", "%50layer%201", "Player", "Player 1"])
    func `capital letters stay, and folders without them are found`(name: String) throws {
        let folder = try StorageFolder()
        try folder.makeFolder("caches")
        try folder.makeFolder("caches/\(name)")
        let key: StorageKey = name.hasSuffix("1") ? "Player 1" : "Player"
        let caches = try SystemPlaces(Below(path: folder.path)).prepare(.caches, for: key)
        #expect(caches.lastComponent?.string == name)
    }

    @Test(arguments: [StandardPlace.home, .resources])
    func `a folder that is not the application's own is not created`(place: StandardPlace) throws {
        let folder = try StorageFolder()
        let places = SystemPlaces(Below(path: folder.path))
        let error = failure { _ = try places.prepare(place, for: "app") }
        #expect(error?.code == .directoryNotUsable)
        try folder.makeFolder(place.rawValue)
        try folder.makeFolder("\(place.rawValue)/app")
        let path = folder.path.appending("\(place.rawValue)/app")
        // It may be read-only.
        #expect(chmod(path.string, 0o500) == 0)
        #expect(try places.prepare(place, for: "app") == path)
    }

    @Test(.enabled(if: getuid() != 0), arguments: [StandardPlace.caches, .preferences])
    func `a folder in which nothing can be created is an error`(place: StandardPlace) throws {
        let folder = try StorageFolder()
        let places = SystemPlaces(Below(path: folder.path))
        #expect(chmod(folder.path.string, 0o500) == 0)
        defer { chmod(folder.path.string, 0o700) }
        let error = failure { _ = try places.prepare(place, for: "app") }
        #expect(error?.code == .directoryNotUsable)
        #expect(error?.advice.contains("XDG") == true)
    }

    @Test func `a file in the way of a folder is an error`() throws {
        let folder = try StorageFolder()
        let places = SystemPlaces(Below(path: folder.path))
        #expect(creat(folder.path.appending("caches").string, 0o600) >= 0)
        let error = failure { _ = try places.prepare(.caches, for: "app") }
        #expect(error?.code == .directoryNotUsable)
        #expect(error?.advice.contains("XDG") == true)
    }

    @Test func `another user's temporary folder is not used`() throws {
        let folder = try StorageFolder()
        let places = SystemPlaces(Below(path: folder.path))
        let path = try places.prepare(.temporary, for: "app")
        #expect(chmod(path.string, 0o777) == 0)
        #expect(
            failure { _ = try places.prepare(.temporary, for: "app") }?.code == .directoryNotUsable
        )
        #expect(chmod(path.string, 0o700) == 0)
        let stranger = SystemPlaces(Below(path: folder.path), user: getuid() + 1)
        #expect(
            failure { _ = try stranger.prepare(.temporary, for: "app") }?.code
                == .directoryNotUsable
        )
        try folder.makeFolder("elsewhere")
        #expect(rmdir(path.string) == 0)
        #expect(symlink(folder.path.appending("elsewhere").string, path.string) == 0)
        #expect(
            failure { _ = try places.prepare(.temporary, for: "app") }?.code == .directoryNotUsable
        )
    }

    @Test func `this system defines every place`() throws {
        let places = try SystemPlaces.current()
        for place in StandardPlace.allCases {
            #expect(try places.path(of: place, for: "app").isAbsolute)
        }
    }

    @Test func `the readable name of a long key is unique, and cut between characters`() {
        let long = String(repeating: "专", count: 5_000)
        let names = [long, long + "a", "a" + long].map { StorageKey($0).readableName }
        #expect(Set(names).count == 3)
        #expect(names.allSatisfy { $0.utf8.count <= 200 && !$0.contains("\u{FFFD}") })
        // This name is on disk and must never change.
        #expect(
            StorageKey(String(repeating: "a", count: 201)).readableName
                == String(repeating: "a", count: 120)
                + "%%a92efd82109373e58f9a2056dee01e807e216ce6075f7051207c0a9f7d666e50"
        )
    }

    @Test func `the form of a long key is unique and leaves room for every suffix`() {
        let long = String(repeating: "é", count: 10_000)
        let forms = [long, long + "a", "a" + long].map { StorageKey($0).fileName }
        #expect(Set(forms).count == 3)
        #expect(forms.allSatisfy { $0.utf8.count <= 200 })
        // This form is on disk and must never change.
        #expect(
            StorageKey(String(repeating: "a", count: 201)).fileName
                == String(repeating: "a", count: 120)
                + "%%a92efd82109373e58f9a2056dee01e807e216ce6075f7051207c0a9f7d666e50"
        )
    }
}
