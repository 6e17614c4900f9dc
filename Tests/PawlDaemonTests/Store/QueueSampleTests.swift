import GRDB
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// A queue as the first version has written it, which is read for ever: the sample is never
/// recorded again.
@Suite(.timeLimit(.minutes(5)))
struct QueueSampleTests {
    private static let first = """
        CREATE TABLE download (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            state TEXT NOT NULL,
            name TEXT NOT NULL,
            url TEXT NOT NULL,
            destination TEXT NOT NULL,
            path TEXT,
            completedBytes INTEGER NOT NULL DEFAULT 0,
            totalBytes INTEGER,
            priority INTEGER NOT NULL,
            position INTEGER NOT NULL,
            session TEXT,
            notBefore REAL,
            failures INTEGER NOT NULL DEFAULT 0,
            problem TEXT,
            createdAt REAL NOT NULL,
            endedAt REAL,
            starts INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX downloadByState ON download (state, id);
        CREATE INDEX downloadUnfinished ON download (id) WHERE endedAt IS NULL;
        CREATE INDEX downloadByName ON download (name);
        CREATE INDEX downloadBySession ON download (session, id) WHERE session IS NOT NULL;
        CREATE TABLE tally (
            state TEXT PRIMARY KEY,
            count INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TRIGGER downloadAdded AFTER INSERT ON download BEGIN
            INSERT INTO tally VALUES (NEW.state, 1)
                ON CONFLICT (state) DO UPDATE SET count = count + 1;
        END;
        CREATE TRIGGER downloadRemoved AFTER DELETE ON download BEGIN
            UPDATE tally SET count = count - 1 WHERE state = OLD.state;
        END;
        CREATE TRIGGER downloadChanged AFTER UPDATE OF state ON download
            WHEN OLD.state <> NEW.state
        BEGIN
            UPDATE tally SET count = count - 1 WHERE state = OLD.state;
            INSERT INTO tally VALUES (NEW.state, 1)
                ON CONFLICT (state) DO UPDATE SET count = count + 1;
        END;
        CREATE TABLE request (
            download INTEGER PRIMARY KEY REFERENCES download (id) ON DELETE CASCADE,
            body BLOB NOT NULL
        ) STRICT;
        CREATE TABLE event (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL,
            download INTEGER NOT NULL,
            name TEXT NOT NULL,
            session TEXT,
            at REAL NOT NULL,
            path TEXT,
            completedBytes INTEGER,
            totalBytes INTEGER,
            problem TEXT
        ) STRICT;
        CREATE TABLE idempotency (
            key TEXT PRIMARY KEY,
            fingerprint INTEGER NOT NULL,
            firstDownload INTEGER NOT NULL,
            count INTEGER NOT NULL,
            at REAL NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('1');
        INSERT INTO download VALUES
            (1, 'waiting', 'disk.iso', 'https://host/disk.iso', '/nowhere/', NULL, 0, NULL, 1, 0,
             NULL, NULL, 0, NULL, 1795262400.0, NULL, 0),
            (2, 'finished', 'film.mkv', 'https://host/film.mkv', '/nowhere/', '/nowhere/film.mkv',
             9, 9, 1, 0, NULL, NULL, 0, NULL, 1795262400.0, 1795262500.0, 1),
            (3, 'paused', 'page.html', 'https://host/page.html', '/nowhere/',
             '/nowhere/page.html', 5, 10, 1, 0, 'films', NULL, 0, NULL, 1795262400.0, NULL, 1);
        INSERT INTO request VALUES (1, X'7B7D'), (3, X'7B7D');
        INSERT INTO event VALUES
            (1, 'added', 1, 'disk.iso', NULL, 1795262400.0, NULL, NULL, NULL, NULL),
            (2, 'added', 2, 'film.mkv', NULL, 1795262400.0, NULL, NULL, NULL, NULL),
            (3, 'finished', 2, 'film.mkv', NULL, 1795262500.0, '/nowhere/film.mkv', 9, 9, NULL);
        """

    @Test func `a queue of the first version is read`() async throws {
        let folder = try StoreScene.makeFolder()
        let path = folder.path(StoreScene.name)
        let queue = try DatabaseQueue(path: path)
        try await queue.write { try $0.execute(sql: Self.first) }
        try queue.close()
        let store = try SQLiteStore(path: path)
        #expect(store.note == nil)
        let contents = try await StoreScene.contents(store)
        let rows = contents.downloads.sorted { $0.id < $1.id }
        #expect(rows.map(\.name) == ["disk.iso", "film.mkv", "page.html"])
        #expect(rows.map(\.state) == [.waiting, .finished, .paused])
        #expect(rows.map(\.completedBytes) == [0, 9, 5])
        #expect(rows.map(\.session) == [nil, nil, "films"])
        #expect(contents.events.map(\.kind) == [.added, .added, .finished])
        // Numbers continue after those of the sample.
        #expect(try StoreScene.add("next.iso", to: store) == 4)
        #expect(try await store.read { try $0.events.list(after: 3, limit: 9) }.map(\.id) == [4])
        #expect(try store.write { try $0.removed.nextNumber() } == 4)
        try store.close()
    }
}
