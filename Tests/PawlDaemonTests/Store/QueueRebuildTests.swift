import FoundationEssentials
import Glibc
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// A damaged queue is rebuilt from everything that can still be found.
@Suite(.timeLimit(.minutes(5)))
struct QueueRebuildTests {
    private let folder: ScratchFolder
    private let path: String

    init() throws {
        folder = try StoreScene.makeFolder()
        path = folder.path(StoreScene.name)
    }

    /// Adds downloads as the daemon does.
    private func add(_ count: Int, to store: SQLiteStore, padding: Int = 0) throws {
        try store.write { transaction in
            for number in 1...count {
                var row = WireDownload(
                    id: 0,
                    state: number % 3 == 0 ? .paused : .waiting,
                    name: "file-\(number)",
                    url: "https://host/file-\(number)",
                    createdAt: StoreScene.noon
                )
                row.destination = folder.path("file-\(number)")
                row.priority = number % 2 == 0 ? .high : .normal
                row.position = Int64(number)
                var request = NewDownload(
                    url: "https://user:secret@host/file-\(number)",
                    destination: row.destination
                )
                request.session = String(repeating: "s", count: padding)
                if padding == 0 { request.session = nil }
                row.id = try transaction.downloads.insert(
                    row,
                    request: try RequestTable.Entry(request)
                )
                try transaction.events.append(.added, row, at: StoreScene.noon)
            }
        }
    }

    private func reopen() throws -> (store: SQLiteStore, note: String?) {
        // The state that a kill leaves.
        try folder.write(StoreScene.name + ".open", [])
        let store = try SQLiteStore(path: path)
        return (store, try QueueRebuild(path: path, store: store, identity: "0").run())
    }

    /// Overwrites the pages of the database for which `pages` returns true, none of the schema.
    private func damage(pages: (Int) -> Bool) throws {
        var bytes = try folder.read(StoreScene.name)
        for page in 1..<(bytes.count / 4096) where pages(page) {
            for index in 0..<200 { bytes[page * 4096 + index] = 0xA5 }
        }
        try folder.write(StoreScene.name, bytes)
    }

    @Test func `readable downloads continue under their own numbers`() async throws {
        let store = try SQLiteStore(path: path)
        try add(600, to: store, padding: 150)
        try store.write { transaction in
            guard var row = try transaction.downloads.find(7) else { return }
            row.state = .finished
            row.endedAt = StoreScene.noon
            try transaction.downloads.save(row)
        }
        try store.close()
        // The later pages of all tables. Those of the schema precede them.
        let count = try folder.read(StoreScene.name).count / 4096
        try damage { $0 > count * 2 / 3 }
        let (new, note) = try reopen()
        #expect(new.note?.contains("damaged") == true)
        #expect(note?.contains("was rebuilt") == true)
        let rows = try await StoreScene.contents(new).downloads
        #expect(!rows.isEmpty)
        for row in rows {
            #expect(row.name == "file-\(row.id)")
            #expect(row.url == "https://host/file-\(row.id)")
            #expect(row.id != 7)
            let request = try #require(try await new.read { try $0.requests.request(of: row.id) })
            let isWhole = String(decoding: request, as: UTF8.self).contains("user:secret@")
            let isPaused = !isWhole || row.id % 3 == 0
            #expect(row.state == (isPaused ? .paused : .waiting), "\(row.id)")
            #expect((row.problem == nil) == isWhole)
        }
    }

    @Test func `feeds are kept, and one whose items are lost begins again`() async throws {
        let store = try SQLiteStore(path: path)
        let items = (0..<400).map { ExactText("item \($0) " + String(repeating: "x", count: 90)) }
        try store.write { transaction in
            for name in ["a", "b"] {
                var download = NewDownload(url: "https://host/\(name)", destination: "/nowhere/")
                download.confinedTo = "/nowhere"
                var feed = FeedTable.Row(
                    name: name,
                    owner: .token("t"),
                    request: NewFeed(download),
                    at: StoreScene.noon
                )
                (feed.state.isKnown, feed.state.added) = (true, 7)
                feed.id = try transaction.feeds.insert(feed)
                try transaction.feeds.see(items, of: feed.id, at: StoreScene.noon)
            }
        }
        let before = try await store.read { try $0.feeds.all() }
        try store.close()
        let whole = try folder.read(StoreScene.name)
        var outcomes: Set<Bool> = []
        for page in 1..<(whole.count / 4096) {
            try folder.write(StoreScene.name, whole)
            try damage { $0 == page }
            let (new, note) = try reopen()
            let feeds = try await new.read { try $0.feeds.all() }
            // All feeds are lost if the damage is in their own table.
            if note != nil, !feeds.isEmpty {
                #expect(feeds.map(\.request) == before.map(\.request), "page \(page)")
                for feed in feeds {
                    let known = try await new.read { try $0.feeds.items(of: feed.id) }
                    #expect(feed.state.isKnown == (known.count == items.count), "page \(page)")
                    outcomes.insert(feed.state.isKnown)
                }
            }
            try new.close()
            for name in folder.list() where name != StoreScene.name {
                unlink(folder.path(name))
            }
        }
        #expect(outcomes == [true, false])
    }

    @Test func `the feeds before a damaged page are kept`() async throws {
        let store = try SQLiteStore(path: path)
        let names = (100..<400).map { "feed-\($0)" }
        try store.write { transaction in
            // Not in the order of their names.
            for name in names.reversed() {
                let url = "https://host/\(name)?" + String(repeating: "x", count: 400)
                let feed = FeedTable.Row(
                    name: name,
                    owner: .user,
                    request: NewFeed(NewDownload(url: url, destination: "/nowhere/")),
                    at: StoreScene.noon
                )
                _ = try transaction.feeds.insert(feed)
            }
        }
        try store.close()
        let marker = Array("https://host/feed-150?".utf8)
        let bytes = try folder.read(StoreScene.name)
        let offset = try #require(
            (0..<bytes.count - marker.count).first {
                bytes[$0] == marker[0] && bytes[$0...].starts(with: marker)
            }
        )
        try damage { $0 == offset / 4096 }
        let (new, note) = try reopen()
        #expect(note != nil)
        let kept = Set(try await new.read { try $0.feeds.all() }.map(\.name))
        // They were added from the last name to the first.
        #expect(kept.isSuperset(of: (170..<400).map { "feed-\($0)" }))
        #expect(!kept.contains("feed-150"))
    }

    @Test func `a complete queue with damage elsewhere loses only ended downloads`() async throws {
        let store = try SQLiteStore(path: path)
        try add(30, to: store)
        // An earlier rebuild has lost its settings, so that only the user may resume it.
        try store.write { transaction in
            guard var row = try transaction.downloads.find(3) else { return }
            row.problem = Problem(DownloadError(.settingsLost, "lost"))
            try transaction.downloads.save(row)
        }
        let before = try await StoreScene.contents(store).downloads
        try store.close()
        // Only the pages of events, found by trying which single page leaves all downloads.
        let whole = try folder.read(StoreScene.name)
        var isFound = false
        for page in stride(from: whole.count / 4096 - 1, to: 1, by: -1) where !isFound {
            try folder.write(StoreScene.name, whole)
            for suffix in ["-wal", "-shm"] where folder.exists(StoreScene.name + suffix) {
                unlink(folder.path(StoreScene.name + suffix))
            }
            try damage { $0 == page }
            let (new, _) = try reopen()
            isFound = try await StoreScene.contents(new).downloads == before && new.damaged > 0
            try new.close()
        }
        #expect(isFound)
    }

    @Test func `a queue is rebuilt once`() async throws {
        let store = try SQLiteStore(path: path)
        try add(3, to: store)
        try store.close()
        var bytes = try folder.read(StoreScene.name)
        bytes.replaceSubrange(0..<16, with: Array("not a database!!".utf8))
        try folder.write(StoreScene.name, bytes)
        let (new, note) = try reopen()
        #expect(new.damaged == 1)
        #expect(note?.hasPrefix("no download of the damaged queue was recovered") == true)
        #expect(try await StoreScene.contents(new).downloads.isEmpty)
        #expect(try QueueRebuild(path: path, store: new, identity: "0").run() == nil)
        try new.close()
        let again = try SQLiteStore(path: path)
        #expect(again.note == nil)
        #expect(try QueueRebuild(path: path, store: again, identity: "0").run() == nil)
    }

    /// SQLite has no specific code for that.
    @Test func `random damage never ends the daemon`() async throws {
        var random = TestSeed.generator("salvaging")
        let store = try SQLiteStore(path: path)
        try add(60, to: store, padding: 100)
        try store.close()
        let whole = try folder.read(StoreScene.name)
        for _ in 0..<25 {
            var bytes = whole
            // Chance seldom hits the header and the schema, which matter most.
            let isAtStart = Bool.random(using: &random)
            let end = isAtStart ? 8192 : bytes.count
            for _ in 0..<Int.random(in: 1...(isAtStart ? 3 : 40), using: &random) {
                let start = Int.random(in: 0..<(end - 300), using: &random)
                for index in start..<(start + Int.random(in: 1...300, using: &random)) {
                    bytes[index] = UInt8.random(in: 0...255, using: &random)
                }
            }
            for name in folder.list() where !name.hasSuffix("/") { unlink(folder.path(name)) }
            try folder.write(StoreScene.name, bytes)
            // A database that is still valid is opened as such; all others are set aside.
            let (new, _) = try reopen()
            for row in try await StoreScene.contents(new).downloads where new.damaged > 0 {
                #expect(row.state == .waiting || row.state == .paused)
            }
            try new.close()
        }
    }

    /// Damage that SQLite reads without an error, or reports with another code.
    @Test(arguments: [
        Damage("a format that is not known", { $0[47] = 9 }),
        Damage("a version that may only be read", { $0[18] = 3 }),
        Damage("a table under another name", { replace("TABLE tally", "TABLE tallz", in: &$0) }),
        Damage(
            "a column under another name",
            { replace("starts INTEGER", "starta INTEGER", in: &$0) }
        ),
        Damage("a trigger that does another thing", { replace("count + 1", "count + 7", in: &$0) }),
    ])
    func `damage that SQLite does not report is set aside, too`(damage: Damage) async throws {
        let store = try SQLiteStore(path: path)
        try add(3, to: store)
        try store.close()
        var bytes = try folder.read(StoreScene.name)
        damage.inflict(&bytes)
        #expect(try folder.read(StoreScene.name) != bytes)
        try folder.write(StoreScene.name, bytes)
        let (new, _) = try reopen()
        #expect(new.note?.contains("is kept as") == true)
        #expect(new.damaged == 1)
        try add(1, to: new)
        try new.close()
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let inflict: @Sendable (inout [UInt8]) -> Void

        init(_ name: String, _ inflict: @escaping @Sendable (inout [UInt8]) -> Void) {
            testDescription = name
            self.inflict = inflict
        }
    }

    private static func replace(_ old: String, _ new: String, in bytes: inout [UInt8]) {
        guard let range = bytes.firstRange(of: Array(old.utf8)) else { return }
        bytes.replaceSubrange(range, with: Array(new.utf8))
    }

    // MARK: - Settings and ids

    private static var settings: DaemonSettings {
        var settings = DaemonSettings()
        settings.limitBytesPerSecond = 1_000_000
        settings.maximumConcurrentDownloads = 3
        settings.allowedFolders = ["/srv/files"]
        settings.allowsPrivateAddresses = true
        settings.listen = "127.0.0.1:6880"
        return settings
    }

    /// Those that decide nothing about access over TCP.
    private static var limits: DaemonSettings {
        var limits = DaemonSettings()
        limits.limitBytesPerSecond = settings.limitBytesPerSecond
        limits.maximumConcurrentDownloads = settings.maximumConcurrentDownloads
        return limits
    }

    /// Closes a store with settings, and damages what is not read of it.
    private func leaveSettings(_ more: (inout [UInt8]) -> Void = { _ in }) throws {
        let store = try SQLiteStore(path: path)
        try add(3, to: store)
        try store.write { try $0.settings.set(Self.settings) }
        try store.close()
        var bytes = try folder.read(StoreScene.name)
        Self.replace("count + 1", "count + 7", in: &bytes)
        more(&bytes)
        try folder.write(StoreScene.name, bytes)
    }

    @Test func `the labels of a damaged queue are kept`() throws {
        let store = try SQLiteStore(path: path)
        try add(3, to: store)
        var films = LabelSettings(name: "films")
        (films.folder, films.limitBytesPerSecond, films.priority) = ("/films/", 1000, .low)
        try store.write { [films] transaction in
            try transaction.labels.set(films)
            guard var row = try transaction.downloads.find(2) else { return }
            row.label = "films"
            try transaction.downloads.save(row)
        }
        try store.close()
        var bytes = try folder.read(StoreScene.name)
        Self.replace("count + 1", "count + 7", in: &bytes)
        try folder.write(StoreScene.name, bytes)
        let (rebuilt, _) = try reopen()
        #expect(rebuilt.damaged == 1)
        #expect(try rebuilt.write { try $0.downloads.find(2)?.label } == "films")
        #expect(try rebuilt.write { try $0.labels.settings() } == ["films": films])
    }

    @Test func `the settings of a damaged queue that can be read are kept`() throws {
        try leaveSettings()
        let (store, note) = try reopen()
        #expect(store.damaged == 1)
        #expect(try store.write { try $0.settings.settings() } == Self.settings)
        #expect(note?.hasSuffix("the daemon's settings were kept") == true, "\(note ?? "")")
        try store.close()
        let again = try SQLiteStore(path: path)
        #expect(try again.write { try $0.settings.settings() } == Self.settings)
    }

    @Test(arguments: [
        ("allowedFolders", "allowedFoldexs"), ("/srv/files", "rsrv/files"),
        ("127.0.0.1:6880", "999.0.0.1:6880"),
    ])
    func `settings with a damaged part do not decide about access over TCP`(
        text: String,
        damaged: String
    ) throws {
        try leaveSettings { Self.replace(text, damaged, in: &$0) }
        let (store, note) = try reopen()
        #expect(try store.write { try $0.settings.settings() } == Self.limits)
        #expect(note?.contains("except those of access over TCP") == true, "\(note ?? "")")
    }

    @Test func `settings to which changes are missing do not decide about access over TCP`() throws
    {
        let store = try SQLiteStore(path: path)
        try store.write { try $0.settings.set(Self.settings) }
        try store.close()
        let second = try SQLiteStore(path: path, checkpointDelay: .seconds(3600))
        // The user withdraws the permission, and the log with this change is lost.
        try second.write { try $0.settings.set(Self.limits) }
        let copy = try StoreScene.makeFolder()
        for suffix in ["", ".open"] {
            try copy.write(StoreScene.name + suffix, try folder.read(StoreScene.name + suffix))
        }
        let copied = copy.path(StoreScene.name)
        let third = try SQLiteStore(path: copied)
        #expect(third.note?.contains("its last changes are missing: 1") == true)
        let note = try QueueRebuild(path: copied, store: third, identity: "0").run()
        #expect(try third.write { try $0.settings.settings() } == Self.limits)
        #expect(note?.contains("except those of access over TCP") == true, "\(note ?? "")")
        try second.close()
    }

    @Test func `settings that cannot be read have their defaults`() throws {
        try leaveSettings { $0 = Array(repeating: UInt8(ascii: "x"), count: 20_000) }
        let (store, note) = try reopen()
        #expect(try store.write { try $0.settings.settings() } == DaemonSettings())
        #expect(note?.contains("the daemon's settings are lost") == true, "\(note ?? "")")
    }

    @Test(arguments: [true, false])
    func `ids are not used again if the database is lost after a clean end`(
        isRemoved: Bool
    ) async throws {
        let store = try SQLiteStore(path: path)
        try add(5, to: store)
        let last = try await store.read { try $0.events.last() }
        try store.close()
        // A start without a change keeps them.
        try SQLiteStore(path: path).close()
        if isRemoved {
            unlink(path)
        } else {
            try folder.write(StoreScene.name, Array(repeating: UInt8(ascii: "x"), count: 20_000))
        }
        let new = try SQLiteStore(path: path)
        #expect((new.damaged == 0) == isRemoved)
        _ = try QueueRebuild(path: path, store: new, identity: "0").run()
        #expect(try StoreScene.add("new", to: new) == 6)
        #expect(try await new.read { try $0.events.last() } > last)
    }

    // MARK: - How many are missing

    @Test func `rows between damaged pages are found, and missing ones are counted`() throws {
        let store = try SQLiteStore(path: path)
        try add(900, to: store, padding: 150)
        try store.close()
        // Table rows: pages that contain the names but not the secrets, unlike the pages of the
        // index by name.
        let bytes = try folder.read(StoreScene.name)
        let pages = bytes.count / 4096
        let rows = (0..<pages).filter { page in
            bytes[page * 4096] == 0x0D
                && bytes[(page * 4096)..<((page + 1) * 4096)]
                    .firstRange(of: Array("https://host/file-".utf8)) != nil
                && bytes[(page * 4096)..<((page + 1) * 4096)]
                    .firstRange(of: Array("secret".utf8)) == nil
        }
        #expect(rows.count > 20)
        let hit = [rows[3], rows[rows.count / 2], rows[rows.count - 4]]
        try damage { hit.contains($0) }
        let (new, note) = try reopen()
        #expect(new.note?.contains("damaged") == true)
        let found = try new.write { try $0.downloads.unfinished().count }
        #expect(found < 900)
        #expect(found > 700)
        #expect(note?.contains("missing: \(900 - found)") == true, "\(note ?? "")")
    }

    @Test func `rows between a damaged first page and another one are found`() throws {
        let store = try SQLiteStore(path: path)
        try add(900, to: store, padding: 150)
        try store.close()
        let bytes = try folder.read(StoreScene.name)
        let rows = (0..<bytes.count / 4096).filter { page in
            let content = bytes[(page * 4096)..<((page + 1) * 4096)]
            return bytes[page * 4096] == 0x0D
                && content.firstRange(of: Array("https://host/file-".utf8)) != nil
                && content.firstRange(of: Array("secret".utf8)) == nil
        }
        let hit = [rows[0], rows[rows.count / 2]]
        try damage { hit.contains($0) }
        let (new, _) = try reopen()
        let ids = Set(try new.write { try $0.downloads.unfinished().map(\.id) })
        #expect(!ids.contains(1))
        #expect(ids.contains(225))
        #expect(ids.count > 750)
    }

    // MARK: - The marker

    @Test
    func `damage after a clean end is found on access and repaired by the next start`()
        async throws
    {
        try SQLiteStore(path: path).close()
        let emptyPages = try folder.read(StoreScene.name).count / 4096
        let store = try SQLiteStore(path: path)
        #expect(folder.exists(StoreScene.name + ".open"))
        try add(200, to: store, padding: 150)
        try store.close()
        #expect(!folder.exists(StoreScene.name + ".open"))
        // The pages of an empty queue, which are read at the start, precede these.
        try damage { $0 >= emptyPages }
        let second = try SQLiteStore(path: path)
        let error = await #expect(throws: DownloadError.self) {
            for id in 1...200 {
                _ = try await second.read { try $0.requests.request(of: Int64(id)) }
            }
        }
        #expect(error?.code == .diskFailure)
        try second.close()
        #expect(folder.exists(StoreScene.name + ".open"))
        let third = try SQLiteStore(path: path)
        #expect(third.note?.contains("damaged") == true)
    }
}
