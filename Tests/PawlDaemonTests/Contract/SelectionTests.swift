import PawlCore
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SelectionTests {
    private func scene(_ kind: StoreKind) async throws -> ContractScene {
        let scene = try await ContractScene(kind)
        for name in ["a.iso", "b.iso", "c.txt", "2", "[x].iso", "a.iso"] { try scene.add(name) }
        return scene
    }

    private func select(_ selection: Selection, in scene: ContractScene) async throws -> [Int64] {
        try await scene.store.read { transaction in
            try transaction.search.select(selection, states: [.waiting]).map(\.download.id)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `downloads are selected by id, by name and by pattern`(kind: StoreKind) async throws {
        let scene = try await scene(kind)
        #expect(try await select(Selection(targets: ["3"]), in: scene) == [3])
        #expect(try await select(Selection(targets: ["a.iso"]), in: scene) == [1, 6])
        #expect(try await select(Selection(targets: ["*.iso"]), in: scene) == [1, 2, 5, 6])
        #expect(try await select(Selection(targets: ["?.txt", "1"]), in: scene) == [1, 3])
        #expect(try await select(Selection(targets: ["[x]*"]), in: scene) == [5])
    }

    @Test(arguments: StoreKind.allCases)
    func `an id takes precedence over a name of digits`(kind: StoreKind) async throws {
        #expect(try await select(Selection(targets: ["2"]), in: try await scene(kind)) == [2])
    }

    @Test(arguments: StoreKind.allCases)
    func `all selects the downloads in the right states`(kind: StoreKind) async throws {
        let scene = try await scene(kind)
        try scene.put(2, into: .finished, .finished)
        #expect(try await select(Selection(all: true), in: scene) == [1, 3, 4, 5, 6])
    }

    @Test(arguments: StoreKind.allCases)
    func `states limit a selection`(kind: StoreKind) async throws {
        let scene = try await scene(kind)
        try scene.put(2, into: .finished, .finished)
        let all = Selection(all: true, states: [.finished, .failed])
        #expect(try await select(all, in: scene) == [2])
        let named = Selection(targets: ["*.iso"], states: [.waiting])
        #expect(try await select(named, in: scene) == [1, 5, 6])
        let error = await #expect(throws: DownloadError.self) {
            try await select(Selection(targets: ["b.iso"], states: [.failed, .waiting]), in: scene)
        }
        #expect(error?.message == "no failed or waiting download matches 'b.iso'")
    }

    @Test(arguments: StoreKind.allCases)
    func `an empty or unmatched selection is an error`(kind: StoreKind) async throws {
        let scene = try await scene(kind)
        for selection in [
            Selection(targets: ["1", "nothing"]), Selection(targets: ["*.zip"]), Selection(),
            Selection(targets: []), Selection(targets: ["1"], all: true),
            Selection(targets: ["1"], session: "other"),
        ] {
            await #expect(throws: DownloadError.self) { try await select(selection, in: scene) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a pattern that is too long for the database is an error of the request`(kind: StoreKind)
        async throws
    {
        let scene = try await scene(kind)
        let most = 16 << 10
        let longest = String(repeating: "[", count: most - 1) + "*"
        let error = await #expect(throws: DownloadError.self) {
            try await select(Selection(targets: [longest]), in: scene)
        }
        #expect(error?.code == .notFound)
        let tooLong = await #expect(throws: DownloadError.self) {
            try await select(Selection(targets: [longest + "*"]), in: scene)
        }
        #expect(tooLong?.code == .usage)
        var query = ListQuery()
        query.search = String(repeating: "%", count: most)
        let asked = query
        #expect(try await scene.store.read { try $0.search.list(asked) }.downloads.isEmpty)
        query.search = String(repeating: "a", count: most + 1)
        let refused = query
        let refusal = await #expect(throws: DownloadError.self) {
            try await scene.store.read { try $0.search.list(refused) }
        }
        #expect(refusal?.code == .usage)
    }

    @Test(arguments: StoreKind.allCases)
    func `pages list each download once, in either order`(kind: StoreKind) async throws {
        let scene = try await scene(kind)
        for newestFirst in [false, true] {
            var (query, seen) = (ListQuery(), [Int64]())
            query.limit = 4
            query.newestFirst = newestFirst
            while true {
                let asked = query
                let page = try await scene.store.read { try $0.search.list(asked) }
                seen += page.downloads.map(\.id)
                guard let next = page.next else { break }
                query.after = next
            }
            #expect(seen == (newestFirst ? [6, 5, 4, 3, 2, 1] : [1, 2, 3, 4, 5, 6]))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `only a star and a question mark are special in a pattern`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        let names = ["a[1].iso", "a1.iso", "A1.iso", "a\\b.iso", "a^.iso", "aé.iso", "a.b+(c).iso"]
        for name in names { try scene.add(name) }
        let cases: [(String, [Int64])] = [
            ("a[1]*", [1]), ("*[*", [1]), ("*]*", [1]), ("a?.iso", [2, 5, 6]), ("A*", [3]),
            ("a\\*", [4]), ("a^*", [5]), ("*.b+(c).*", [7]), ("?????.iso", []),
            ("*", [1, 2, 3, 4, 5, 6, 7]), ("a.*", [7]), ("*1", []), ("1*", []), ("a|*", []),
        ]
        for (pattern, expected) in cases {
            var query = ListQuery()
            query.targets = [pattern]
            let asked = query
            let page = try await scene.store.read { try $0.search.list(asked) }
            #expect(page.downloads.map(\.id).sorted() == expected, "\(pattern)")
            #expect(
                names.indices.filter { NamePattern.matches(pattern, names[$0]) }.map {
                    Int64($0 + 1)
                }
                    == expected
            )
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a text with U+0000 is refused, and the store works as before`(kind: StoreKind)
        async throws
    {
        let scene = try await ContractScene(kind)
        for name in ["a\0b", "\0"] {
            let error = #expect(throws: DownloadError.self) { try scene.add(name) }
            #expect(error?.code == .usage)
            #expect(error?.message.contains("U+0000") == true)
        }
        #expect(scene.store.lastWriteFailure == nil)
        try scene.add("ab")
        for (text, target) in [("a\0", "*"), ("a", "a\0*"), ("a", "a\0")] {
            var query = ListQuery()
            (query.search, query.targets) = (text, [target])
            let asked = query
            let error = await #expect(throws: DownloadError.self) {
                try await scene.store.read { try $0.search.list(asked) }
            }
            #expect(error?.code == .usage)
        }
        #expect(try await StoreScene.contents(scene.store).downloads.map(\.name) == ["ab"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a search ignores case in any alphabet`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        for name in [
            "Größe.iso", "GRÖSSE.ISO", "ЁЛКА.zip", "ёлка.ZIP", "100%_a\\b.txt", "1000 ab.txt", "Ça",
        ] {
            try scene.add(name)
        }
        let cases: [(String, [Int64])] = [
            ("iso", [1, 2]), ("ISO", [1, 2]), ("größe", [1]), ("GRÖß", [1]), ("gröss", [2]),
            ("Ёлка.Z", [3, 4]), ("ёЛ", [3, 4]), ("ç", [7]), ("Ç", [7]), ("%_A\\B", [5]),
            ("0%", [5]),
            ("_", [5]), ("é", []), ("öiso", []), ("Ö%", []), ("q", []),
        ]
        for (text, expected) in cases {
            let query = try ListQuery(parameters: [("search", text), ("order", "oldest")])
            #expect(query.search == text)
            let page = try await scene.store.read { try $0.search.list(query) }
            #expect(page.downloads.map(\.id) == expected, "\(text)")
        }
        for text in ["", String(repeating: "a", count: 257)] {
            #expect(throws: DownloadError.self) {
                try ListQuery(parameters: [("search", text)])
            }
        }
    }
}
