import PawlCore
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct NetworkRulesTests {
    private let rules = NetworkRules(folders: ["/home/me/Downloads", "/srv/files/", "/srv"])

    private func confine(_ destination: String) throws -> NewDownload {
        try rules.confine(NewDownload(url: "https://example.org/a", destination: destination))
    }

    @Test(
        arguments: [
            ("/home/me/Downloads/", "/home/me/Downloads"),
            ("/home/me/Downloads/a.iso", "/home/me/Downloads"),
            ("/home/me/Downloads/sub/a.iso", "/home/me/Downloads"),
            ("/home/me//Downloads/./a", "/home/me/Downloads"), ("/srv/files/a", "/srv/files/"),
            ("/srv/a", "/srv"), ("", "/home/me/Downloads"), ("sub/", "/home/me/Downloads"),
            ("a.iso", "/home/me/Downloads"),
        ]
    )
    func `a destination in an allowed folder is confined to it`(path: String, root: String) throws {
        let new = try confine(path)
        #expect(new.confinedTo == root)
        #expect(new.destination.hasPrefix("/"))
    }

    @Test(arguments: [".", "sub/.", "/srv/."])
    func `a destination that ends with a dot is not a file name`(path: String) {
        let error = #expect(throws: DownloadError.self) { try confine(path) }
        #expect(error?.code == .usage)
        #expect(error?.advice == "to save into this folder, end the path with a slash")
    }

    @Test(
        arguments: [
            "/etc/passwd", "/home/me/", "/home/me/Downloads", "/home/me/DownloadsX/a",
            "/home/me/Downloads/../.bashrc", "/home/me/Downloads/a/../../.bashrc", "../a", "..",
            "sub/../../a", "/", "/../srv/a", "/home/me/Downloads/..",
            // A slash and a combining scalar are one Character.
            "../\u{301}a", "sub/../\u{200D}a", "/home/me/Downloads/../\u{FE0F}a",
            "/srv/..\u{301}/../../\u{1F3FB}a",
        ]
    )
    func `a destination outside the allowed folders is refused`(path: String) {
        let error = #expect(throws: DownloadError.self) { try confine(path) }
        #expect(error?.code == .notAllowed)
    }

    @Test func `an object is below an allowed folder of a bucket, and nowhere else`() throws {
        let rules = NetworkRules(
            folders: ["/srv", "s3://photos/in/", "s3://photos/in/deep/", "s3://all/"]
        )
        func confine(_ destination: String) throws -> NewDownload {
            try rules.confine(NewDownload(url: "https://example.org/a", destination: destination))
        }
        #expect(try confine("s3://photos/in/a").confinedTo == "s3://photos/in/")
        #expect(try confine("S3://photos/in/").confinedTo == "s3://photos/in/")
        #expect(try confine("s3://photos/in/deep/a").confinedTo == "s3://photos/in/deep/")
        #expect(try confine("s3://all/a").confinedTo == "s3://all/")
        #expect(try confine("a").confinedTo == "/srv")
        for outside in [
            "s3://photos/a", "s3://photos/input/a", "s3://photos/", "s3://other/in/a",
            "s3://all.x/a",
        ] {
            let error = #expect(throws: DownloadError.self) { try confine(outside) }
            #expect(error?.code == .notAllowed, "\(outside)")
        }
        for invalid in ["s3://photos/in/../a", "s3://k:s@photos/in/a", "s3://photos/in/a?x"] {
            let error = #expect(throws: DownloadError.self) { try confine(invalid) }
            #expect(error?.code == .usage, "\(invalid)")
        }
        let error = #expect(throws: DownloadError.self) {
            try self.rules.confine(
                NewDownload(url: "https://example.org/a", destination: "s3://photos/in/a")
            )
        }
        #expect(error?.code == .notAllowed)
        #expect(error?.advice.contains("pawl daemon allow --folder s3://") == true)
    }

    @Test(
        arguments: [
            "x.part", "x.part.1", "x.part.pawl", "x.part.pawl.3", "x.part.pawl.new", "x.pawl",
            "sub/x.PART", "x.corrupt", "x.corrupt.2", "/srv/x.part/a", "x.part/", ".part",
        ]
    )
    func `a name reserved for partial files is refused`(path: String) {
        let error = #expect(throws: DownloadError.self) { try confine(path) }
        #expect(error?.code == .notAllowed)
        #expect(error?.advice.contains("_") == true || path == ".part")
    }

    @Test(arguments: [
        "a\nb/x", "sub/a\u{1}/x", "/srv/a\u{7F}/x", "x\u{9B}", "a\u{202E}b/", "a\r\nb/x",
    ])
    func `a name with control characters is refused`(path: String) {
        let error = #expect(throws: DownloadError.self) { try confine(path) }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("control characters") == true)
    }

    @Test func `an allowed folder may have any name`() throws {
        let rules = NetworkRules(folders: ["/srv/x.part"])
        let new = NewDownload(url: "https://example.org/a", destination: "a.part1.rar")
        #expect(try rules.confine(new).destination == "/srv/x.part/a.part1.rar")
    }

    @Test func `without allowed folders nothing is allowed`() {
        let rules = NetworkRules(folders: [])
        for path in ["a", "/tmp/a"] {
            #expect(throws: DownloadError.self) {
                try rules.confine(NewDownload(url: "https://example.org/a", destination: path))
            }
        }
    }

    @Test func `a client cannot choose its own confinement`() throws {
        var lying = NewDownload(url: "https://example.org/a", destination: "/srv/a")
        lying.confinedTo = "/"
        #expect(try rules.confine(lying).confinedTo == "/srv")
    }
}
