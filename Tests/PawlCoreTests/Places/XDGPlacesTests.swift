import PawlCore
import Testing

/// Contract: where files belong, "on Linux by the XDG base directories and `user-dirs.dirs`, per
/// application identifier".
@Suite(.timeLimit(.minutes(5)))
struct XDGPlacesTests {
    private static func folder(
        _ place: StandardPlace,
        _ variables: [String: String] = [:],
        home: String? = nil,
        list: String = ""
    ) -> String? {
        var surroundings = PlaceSurroundings(variables: variables, homeOfUser: home, user: 1000)
        surroundings.userDirectories = list
        return XDGPlaces(surroundings).folder(of: place, for: "player")
    }

    @Test(arguments: [
        (StandardPlace.documents, "/home/u/Documents/player"),
        (.caches, "/home/u/.cache/player"),
        (.data, "/home/u/.local/share/player"),
        (.temporary, "/tmp/player-1000"),
        (.preferences, "/home/u/.config/player"),
        (.home, "/home/u"),
    ])
    func `by default the standard folders are used`(place: StandardPlace, expected: String) {
        #expect(Self.folder(place, ["HOME": "/home/u"]) == expected)
        #expect(Self.folder(place, ["HOME": ""], home: "/home/u") == expected)
        #expect(Self.folder(place, ["HOME": "here"], home: "/home/u/") == expected)
    }

    @Test(arguments: [
        ("XDG_CACHE_HOME", StandardPlace.caches, "/x/y/player"),
        ("XDG_DATA_HOME", .data, "/x/y/player"),
        ("XDG_DOCUMENTS_DIR", .documents, "/x/y/player"),
        ("TMPDIR", .temporary, "/x/y/player-1000"),
        ("XDG_CONFIG_HOME", .preferences, "/x/y/player"),
    ])
    func `a variable counts if it is an absolute path`(
        name: String,
        place: StandardPlace,
        expected: String
    ) {
        let standard = Self.folder(place, ["HOME": "/home/u"])
        #expect(Self.folder(place, ["HOME": "/home/u", name: "/x/y"]) == expected)
        #expect(Self.folder(place, ["HOME": "/home/u", name: "/x/y//"]) == expected)
        for ignored in ["", "x/y", "./x", "~/x"] {
            #expect(Self.folder(place, ["HOME": "/home/u", name: ignored]) == standard)
        }
    }

    @Test func `temporary downloads do not use the runtime directory`() {
        #expect(
            Self.folder(.temporary, ["XDG_RUNTIME_DIR": "/run/user/1000"]) == "/tmp/player-1000"
        )
    }

    @Test(arguments: [StandardPlace.documents, .caches, .data, .preferences, .home, .resources])
    func `without a home only the temporary place exists`(place: StandardPlace) {
        #expect(Self.folder(place) == nil)
        #expect(Self.folder(.temporary) != nil)
    }

    @Test(arguments: [
        ("XDG_DOCUMENTS_DIR=\"$HOME/Dokumente\"", "/home/u/Dokumente/player"),
        ("XDG_DOCUMENTS_DIR=\"/srv/docs\"", "/srv/docs/player"),
        ("XDG_DOCUMENTS_DIR=\"/srv/docs/\"\n", "/srv/docs/player"),
        ("  XDG_DOCUMENTS_DIR = \"$HOME/A B\"  # mine", "/home/u/A B/player"),
        ("XDG_DOCUMENTS_DIR=\"$HOME/a\\\"b\\$c\"", "/home/u/a\"b$c/player"),
        ("XDG_MUSIC_DIR=\"$HOME/M\"\nXDG_DOCUMENTS_DIR=\"$HOME/D\"", "/home/u/D/player"),
        ("XDG_DOCUMENTS_DIR=\"$HOME/1\"\nXDG_DOCUMENTS_DIR=\"$HOME/2\"", "/home/u/2/player"),
    ])
    func `the list of user directories is obeyed`(list: String, expected: String) {
        let variables = ["HOME": "/home/u", "XDG_DOCUMENTS_DIR": "/elsewhere"]
        #expect(Self.folder(.documents, variables, list: list) == expected)
    }

    @Test(arguments: [
        "", "# XDG_DOCUMENTS_DIR=\"/srv/docs\"", "XDG_DOCUMENTS_DIR=/srv/docs",
        "XDG_DOCUMENTS_DIR=\"docs\"", "XDG_DOCUMENTS_DIR=\"$HOMES/docs\"",
        "XDG_DOCUMENTS_DIR=\"/srv/docs", "XDG_DOCUMENTS_DIR='/srv/docs'", "XDG_DOCUMENTS_DIR",
        "XDG_DOCUMENTS_DIR=\"\\$HOME/docs\"", "XDG_DOCUMENTS_DIR=\"\"", "export X=\"/y\"",
        "=\"/y\"",
        "XDG_DOCUMENTS_DIR=\"~/docs\"", "XDG__DIR=\"/y\"",
    ])
    func `invalid lines of the list are ignored`(list: String) {
        #expect(
            Self.folder(.documents, ["HOME": "/home/u"], list: list) == "/home/u/Documents/player"
        )
    }

    @Test(arguments: ["XDG_DOCUMENTS_DIR=\"$HOME/\"", "XDG_DOCUMENTS_DIR=\"$HOME\""])
    func `a disabled folder does not put files into the home folder`(list: String) {
        let found = Self.folder(.documents, ["HOME": "/home/u"], list: list)
        #expect(found == "/home/u/.local/share/player/Documents")
    }

    /// A folder with `..` cannot be allowed over TCP.
    @Test(arguments: [
        ("XDG_DOWNLOAD_DIR=\"$HOME/Downloads/../\"", "/home/u/Downloads"),
        ("XDG_DOWNLOAD_DIR=\"$HOME/a/.././/b/\"", "/home/u/b"),
        ("XDG_DOWNLOAD_DIR=\"/srv/../../x\"", "/x"),
        ("XDG_DOWNLOAD_DIR=\"$HOME/./\"", "/home/u/Downloads"),
        ("", "/home/u/v"),
    ])
    func `the folder for downloads has no dots`(list: String, expected: String) {
        var surroundings = PlaceSurroundings(
            variables: ["HOME": "/home/x/../u", "XDG_DOWNLOAD_DIR": "/home/u/a/../v"],
            homeOfUser: nil,
            user: 1000
        )
        surroundings.userDirectories = list
        #expect(XDGPlaces(surroundings).downloads == expected)
    }

    private static func resources(_ program: String?, _ apple: Bool = false) -> String? {
        var surroundings = PlaceSurroundings(variables: [:], homeOfUser: nil, user: 1000)
        surroundings.program = program
        let places: any PlaceResolving =
            apple ? ApplePlaces(surroundings) : XDGPlaces(surroundings)
        return places.folder(of: .resources, for: "player")
    }

    @Test(arguments: [
        ("/usr/bin/player", "/usr/share/player"), ("/opt/p/bin/player", "/opt/p/share/player"),
        ("/bin/player", "/share/player"), ("/opt/player/player", "/opt/player"),
        ("/home/u/rubbin/player", "/home/u/rubbin"), ("/player", "/"),
    ])
    func `resources are in share beside bin, or beside the program`(
        program: String,
        expected: String
    ) {
        #expect(Self.resources(program) == expected)
    }

    @Test func `on Apple's systems resources are in the bundle`() {
        #expect(
            Self.resources("/Applications/P.app/Contents/MacOS/P", true)
                == "/Applications/P.app/Contents/Resources"
        )
        #expect(Self.resources("/usr/local/bin/p", true) == "/usr/local/bin")
        #expect(Self.resources(nil, true) == nil)
        #expect(Self.resources("player") == nil)
    }

    @Test func `the list is read from the configuration folder`() {
        func list(_ variables: [String: String]) -> String? {
            XDGPlaces.listOfUserDirectories(
                PlaceSurroundings(variables: variables, homeOfUser: nil, user: 0)
            )
        }
        #expect(list(["HOME": "/home/u"]) == "/home/u/.config/user-dirs.dirs")
        #expect(list(["XDG_CONFIG_HOME": "/c", "HOME": "/home/u"]) == "/c/user-dirs.dirs")
        #expect(list([:]) == nil)
    }

    @Test func `on macOS the standard folders are used`() {
        let places = ApplePlaces(
            PlaceSurroundings(
                variables: ["HOME": "/Users/u", "TMPDIR": "/var/folders/x/T/"],
                homeOfUser: nil,
                user: 501
            )
        )
        #expect(places.folder(of: .documents, for: "p") == "/Users/u/Documents/p")
        #expect(places.folder(of: .caches, for: "p") == "/Users/u/Library/Caches/p")
        #expect(places.folder(of: .data, for: "p") == "/Users/u/Library/Application Support/p")
        #expect(places.folder(of: .preferences, for: "p") == "/Users/u/Library/Preferences/p")
        #expect(places.folder(of: .home, for: "p") == "/Users/u")
        #expect(places.folder(of: .temporary, for: "p") == "/var/folders/x/T/p-501")
    }
}
