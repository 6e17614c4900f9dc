internal import GRDB

/// The tables, version by version; docs/daemon.md says what they hold.
enum StoreSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in try database.execute(sql: version1) }
        migrator.registerMigration("2") { database in try database.execute(sql: version2) }
        migrator.registerMigration("3") { database in try database.execute(sql: version3) }
        migrator.registerMigration("4") { database in try database.execute(sql: version4) }
        migrator.registerMigration("5") { database in try database.execute(sql: version5) }
        migrator.registerMigration("6") { database in try database.execute(sql: version6) }
        migrator.registerMigration("7") { database in try database.execute(sql: version7) }
        migrator.registerMigration("8") { database in try database.execute(sql: version8) }
        migrator.registerMigration("9-owners") { database in
            try database.execute(sql: owners)
        }
        migrator.registerMigration("intentions") { database in
            try database.execute(sql: intentions)
        }
        migrator.registerMigration("partial-owners") { database in
            try database.execute(sql: partialOwners)
        }
        return migrator
    }

    /// What makes the tables, indexes and triggers, in the order of their names.
    static func statements(_ database: Database) throws -> [String] {
        let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name"
        return try String.fetchAll(database, sql: sql)
    }

    // Whose a partial file is that a download finds.
    private static let partialOwners =
        "CREATE INDEX writtenByInode ON written (file ->> '$.stamp.inode')"

    // Who has added it: what was added over TCP before that was recorded is a program's, and kept to
    // a folder.
    private static let owners = """
        ALTER TABLE download ADD COLUMN owner TEXT NOT NULL DEFAULT 'user';
        ALTER TABLE session ADD COLUMN owner TEXT NOT NULL DEFAULT 'user';
        UPDATE download SET owner = 'token:main'
            WHERE COALESCE(confinedTo, \(StoreTransaction.rootOfRequest)) IS NOT NULL;
        """

    // `intention`: what is to be done on the disk, written with the change that it follows from and
    // deleted once it is carried out; it outlives the download. `written`: the files that a download has
    // written, as JSON. `wasThere`: the finished file was there before, so that it is none of these.
    // `retryWait`: how long the download that failed waits, in seconds. `outages`: how many of its failures
    // in a row may be the network's. `missedUpTo`: the newest event that the session was not told of and
    // that is not kept any more.
    private static let intentions = """
        CREATE TABLE intention (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            download INTEGER NOT NULL,
            kind TEXT NOT NULL,
            root TEXT,
            detail TEXT NOT NULL
        ) STRICT;
        CREATE INDEX intentionByDownload ON intention (download);
        CREATE TABLE written (
            id INTEGER PRIMARY KEY,
            download INTEGER NOT NULL REFERENCES download (id) ON DELETE CASCADE,
            file TEXT NOT NULL
        ) STRICT;
        CREATE INDEX writtenByDownload ON written (download);
        ALTER TABLE download ADD COLUMN wasThere INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE download ADD COLUMN retryWait REAL;
        ALTER TABLE download ADD COLUMN outages INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE session ADD COLUMN missedUpTo INTEGER NOT NULL DEFAULT 0;
        """

    // A JSON array, without secrets.
    private static let version8 = "ALTER TABLE download ADD COLUMN mirrors TEXT"

    private static let version7 = "ALTER TABLE session ADD COLUMN limitBytesPerSecond INTEGER"

    // `confinedTo`: the folder that what has ended may not be looked for outside of; before that the
    // request has it.
    private static let version6 = "ALTER TABLE download ADD COLUMN confinedTo TEXT"

    private static let version5 = "CREATE INDEX eventByDownload ON event (download, id)"

    // A session that a process asked for keeps its events until they are acknowledged.
    private static let version2 = """
        ALTER TABLE download ADD COLUMN taskIdentifier INTEGER;
        ALTER TABLE download ADD COLUMN taskDescription TEXT;
        ALTER TABLE download ADD COLUMN response TEXT;
        CREATE TABLE session (
            identifier TEXT PRIMARY KEY,
            acknowledged INTEGER NOT NULL,
            relaunchCommand TEXT,
            relaunchedAt INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX downloadOfSession ON download (session) WHERE endedAt IS NULL;
        CREATE INDEX eventBySession ON event (session, id) WHERE session IS NOT NULL;
        """

    // `detail`: what an event tells besides, as JSON: of `removed` the download as it was, of `settings`
    // the settings. `seenAt`: when a process of the session was there last.
    private static let version4 = """
        ALTER TABLE download ADD COLUMN metrics TEXT;
        ALTER TABLE event ADD COLUMN detail TEXT;
        ALTER TABLE session ADD COLUMN maximumConcurrentDownloads INTEGER;
        ALTER TABLE session ADD COLUMN seenAt REAL NOT NULL DEFAULT 0;
        UPDATE session SET seenAt = unixepoch();
        """

    private static let version3 = """
        CREATE TABLE setting (
            name TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE download ADD COLUMN limitBytesPerSecond INTEGER;
        CREATE TABLE renaming (
            download INTEGER PRIMARY KEY REFERENCES download (id) ON DELETE CASCADE,
            name TEXT NOT NULL
        ) STRICT;
        """

    // `request` is private: what it holds never leaves the daemon, and is wiped when a download has
    // ended well or is removed. The other tables hold no secret.
    private static let version1 = """
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
        -- How many are in each state: counting a million takes long.
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
        """
}
