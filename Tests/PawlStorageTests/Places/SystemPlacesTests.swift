import Glibc
import PawlCore
import PawlStorage
import SystemPackage
import Testing

/// Contract: where files belong, "folders of our own 0700".
@Suite(.timeLimit(.minutes(1)))
struct SystemPlacesTests {
    /// All places below one folder.
    private struct Below: PlaceResolving {
        let path: FilePath

        func folder(of place: StandardPlace, for application: String) -> String? {
            place == .data ? nil : path.appending("\(place.rawValue)/\(application)").string
        }
    }

    @Test(arguments: [StandardPlace.documents, .caches, .temporary])
    func `a place is created with its parents, for the user alone`(place: StandardPlace) throws {
        let folder = try StorageFolder()
        let places = SystemPlaces(Below(path: folder.path))
        let path = try places.prepare(place, for: "org.example.App")
        #expect(path.lastComponent?.string == "org%2eexample%2e%41pp")
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
