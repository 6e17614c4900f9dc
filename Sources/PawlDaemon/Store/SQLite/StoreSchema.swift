internal import GRDB
internal import PawlCore

/// The tables, version by version; docs/daemon.md describes them.
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
        migrator.registerMigration("history") { database in try database.execute(sql: history) }
        migrator.registerMigration("error-responses") { database in
            try database.execute(sql: errorResponses)
        }
        migrator.registerMigration("hooks") { database in try database.execute(sql: hooks) }
        migrator.registerMigration("removed") { database in try database.execute(sql: removed) }
        migrator.registerMigration("feeds") { database in try database.execute(sql: feeds) }
        migrator.registerMigration("gids") { database in try database.execute(sql: gids) }
        migrator.registerMigration("labels") { database in try database.execute(sql: labels) }
        migrator.registerMigration("removed-feeds") { database in
            try database.execute(sql: removedFeeds)
        }
        migrator.registerMigration("counters") { database in try database.execute(sql: counters) }
        migrator.registerMigration("fleet-columns") { database in
            try database.execute(sql: fleetColumns)
            try fillInodes(database)
        }
        migrator.registerMigration("uploads") { database in try database.execute(sql: uploads) }
        // The SHA-256 of a part that a later run compares with what it receives.
        migrator.registerMigration("part-digests") { database in
            try database.execute(sql: "ALTER TABLE part ADD COLUMN sha256 BLOB")
        }
        migrator.registerMigration("imports") { database in try database.execute(sql: imports) }
        return migrator
    }

    /// Returns the statements that create the tables, indexes and triggers, by name.
    static func statements(_ database: Database) throws -> [String] {
        let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name"
        return try String.fetchAll(database, sql: sql)
    }

    // The lists that are imported, for a day. `key`: as in `idempotency`. `line`: the last line that
    // is done. `firstLine`, `fingerprint`: the first line of the last part, and the checksum of that
    // part without its secrets. `refused`: the number of lines that were refused.
    private static let imports = """
        CREATE TABLE import (
            key TEXT PRIMARY KEY,
            line INTEGER NOT NULL,
            firstLine INTEGER NOT NULL,
            fingerprint INTEGER NOT NULL,
            added INTEGER NOT NULL,
            refused INTEGER NOT NULL,
            at REAL NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    // What was read from JSON before gets columns; `inode` has the bits of the unsigned number.
    private static let fleetColumns = """
        DROP INDEX writtenByInode;
        ALTER TABLE written ADD COLUMN inode INTEGER;
        ALTER TABLE written ADD COLUMN kind TEXT;
        UPDATE written SET
            inode = CASE WHEN NOT json_valid(file) THEN NULL
                WHEN typeof(file ->> '$.stamp.inode') = 'integer' THEN file ->> '$.stamp.inode'
                END,
            kind = CASE WHEN json_valid(file) THEN file ->> '$.kind' END;
        CREATE INDEX writtenByInode ON written (inode);
        ALTER TABLE removed ADD COLUMN session TEXT;
        ALTER TABLE removed ADD COLUMN owner TEXT;
        UPDATE removed SET session = columns ->> '$.session', owner = columns ->> '$.owner'
            WHERE CASE WHEN json_valid(columns) THEN TRUE END;
        ALTER TABLE request ADD COLUMN confinedTo TEXT;
        UPDATE request SET confinedTo = CAST(body AS TEXT) ->> '$.confinedTo'
            WHERE CASE WHEN json_valid(CAST(body AS TEXT))
                THEN CAST(body AS TEXT) ->> '$.confinedTo' END IS NOT NULL;
        """

    /// SQLite reads numbers above those of `Int64` as decimals.
    private static func fillInodes(_ database: Database) throws {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT id, file FROM written WHERE inode IS NULL"
        )
        for row in rows {
            let text = String.fromDatabaseValue(row[1])
            guard let file: WrittenFile = ColumnCoding.value(text) else { continue }
            try database.execute(
                sql: "UPDATE written SET inode = ? WHERE id = ?",
                arguments: [Int64(bitPattern: file.stamp.inode), row[0]]
            )
        }
    }

    // `value`: the newest number. Until now, SQLite gave the numbers of events, and a removal had
    // that of an event before it.
    private static let counters = """
        CREATE TABLE counter (
            name TEXT PRIMARY KEY,
            value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO counter VALUES ('event', MAX(
            COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'event'), 0),
            COALESCE((SELECT MAX(id) FROM event), 0)));
        INSERT INTO counter VALUES ('removal', MAX(
            (SELECT value FROM counter WHERE name = 'event'),
            COALESCE((SELECT MAX(removal) FROM removed), 0),
            COALESCE((SELECT MAX(removal) FROM removedFeed), 0)));
        """

    // The uploads outlive their downloads, until they are completed or aborted. `upload`: the
    // service's identifier. `address`: the URL of the object. `representation`: as in a checkpoint.
    // `attempt`: the number of earlier runs that have continued it. `state`: 1 if parts are missing,
    // 2 if it is being completed, 3 if it is to be aborted. `service`: how the service is reached,
    // as JSON without secrets. `part`: the parts that the service has acknowledged. `number`: the
    // part of the file, from 0; `partNumber`: that of the upload. `checksum`: its CRC-32C.
    private static let uploads = """
        CREATE TABLE upload (
            download INTEGER PRIMARY KEY,
            upload TEXT NOT NULL,
            address TEXT NOT NULL,
            mark TEXT NOT NULL,
            representation BLOB NOT NULL,
            source TEXT NOT NULL,
            partBytes INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            state INTEGER NOT NULL,
            service TEXT NOT NULL,
            changedAt REAL NOT NULL
        ) STRICT;
        CREATE TABLE part (
            download INTEGER NOT NULL REFERENCES upload (download) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            partNumber INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            tag TEXT NOT NULL,
            checksum BLOB NOT NULL,
            PRIMARY KEY (download, number)
        ) STRICT, WITHOUT ROWID;
        """

    // For a minute after a removal, like `removed`: the rows of feeds and of their items. `request`
    // is private like that of the table `feed`.
    private static let removedFeeds = """
        CREATE TABLE removedFeed (
            id INTEGER PRIMARY KEY,
            removal INTEGER NOT NULL,
            remover TEXT NOT NULL,
            at REAL NOT NULL,
            name TEXT NOT NULL,
            owner TEXT NOT NULL,
            createdAt REAL NOT NULL,
            nextCheck REAL,
            request BLOB NOT NULL,
            state TEXT NOT NULL
        ) STRICT;
        CREATE TABLE removedFeedItem (
            feed INTEGER NOT NULL REFERENCES removedFeed (id) ON DELETE CASCADE,
            key TEXT NOT NULL,
            seenAt REAL NOT NULL,
            PRIMARY KEY (feed, key)
        ) STRICT, WITHOUT ROWID;
        """

    // `label`: the labels that have settings; others exist only as the label of a download.
    private static let labels = """
        CREATE TABLE label (
            name TEXT PRIMARY KEY,
            folder TEXT,
            limitBytesPerSecond INTEGER,
            priority INTEGER
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE download ADD COLUMN label TEXT;
        CREATE INDEX downloadByLabel ON download (label, id) WHERE label IS NOT NULL;
        """

    // `request` is private: it contains the secrets for a feed. `nextCheck`: NULL if the feed is
    // checked only on request. `state`: what is known of the feed, as JSON. `feedItem`: the items
    // that were seen.
    private static let feeds = """
        CREATE TABLE feed (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            createdAt REAL NOT NULL,
            nextCheck REAL,
            request BLOB NOT NULL,
            state TEXT NOT NULL
        ) STRICT;
        CREATE TABLE feedItem (
            feed INTEGER NOT NULL REFERENCES feed (id) ON DELETE CASCADE,
            key TEXT NOT NULL,
            seenAt REAL NOT NULL,
            PRIMARY KEY (feed, key)
        ) STRICT, WITHOUT ROWID;
        """

    // `gid`: the GID that a client of aria2 has chosen, in lower case.
    private static let gids = """
        ALTER TABLE download ADD COLUMN gid TEXT;
        CREATE UNIQUE INDEX downloadByGID ON download (gid) WHERE gid IS NOT NULL;
        """

    // For a minute after a removal. `columns`: the row of the download, as JSON; `request` is
    // private like that of the table `request`.
    private static let removed = """
        CREATE TABLE removed (
            download INTEGER PRIMARY KEY,
            removal INTEGER NOT NULL,
            remover TEXT NOT NULL,
            at REAL NOT NULL,
            columns TEXT NOT NULL,
            request BLOB,
            files TEXT NOT NULL
        ) STRICT;
        """

    // The jobs outlive their download. `notBefore`: when a job is tried again. `job` is private: it may contain the URL of a webhook.
    private static let hooks = """
        CREATE TABLE hook (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            download INTEGER NOT NULL,
            notBefore REAL,
            job TEXT NOT NULL
        ) STRICT;
        CREATE INDEX hookByDownload ON hook (download, id);
        CREATE INDEX hookByDate ON hook (notBefore, id);
        """

    // `event`: the failure. `body` is private: servers may repeat secrets of the request in it.
    private static let errorResponses = """
        CREATE TABLE errorResponse (
            event INTEGER PRIMARY KEY,
            session TEXT NOT NULL,
            download INTEGER NOT NULL REFERENCES download (id) ON DELETE CASCADE,
            response TEXT NOT NULL,
            body BLOB NOT NULL,
            isWhole INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX errorResponseByDownload ON errorResponse (download);
        CREATE INDEX errorResponseBySession ON errorResponse (session, event);
        """

    // Finds the oldest ended downloads.
    private static let history =
        "CREATE INDEX downloadEnded ON download (endedAt, id) WHERE endedAt IS NOT NULL"

    // Finds the download that has written a partial file.
    private static let partialOwners =
        "CREATE INDEX writtenByInode ON written (file ->> '$.stamp.inode')"

    // `owner`: who has added the download. A download that was added over TCP before owners were
    // recorded is confined to a folder, and belongs to a program.
    private static let owners = """
        ALTER TABLE download ADD COLUMN owner TEXT NOT NULL DEFAULT 'user';
        ALTER TABLE session ADD COLUMN owner TEXT NOT NULL DEFAULT 'user';
        UPDATE download SET owner = 'token:main'
            WHERE COALESCE(confinedTo, \(confiningFolder)) IS NOT NULL;
        """

    // NULL if the request is not JSON.
    private static let confiningFolder = """
        (SELECT CASE WHEN json_valid(CAST(body AS TEXT)) THEN CAST(body AS TEXT) ->> '$.confinedTo' END
            FROM request WHERE request.download = download.id)
        """

    // `intention`: the file operations to be carried out, written with the change that causes them
    // and deleted when they are done; they outlive the download. `written`: the files that a
    // download has written, as JSON. `wasThere`: whether the finished file existed before, and is
    // not one of these. `retryWait`: how long a failed download waits, in seconds. `outages`: how
    // many of its consecutive failures the network may have caused. `missedUpTo`: the newest event
    // that the session has not received and that was deleted.
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

    // `confinedTo`: the folder that the files of an ended download must not leave; before the end,
    // the request has it.
    private static let version6 = "ALTER TABLE download ADD COLUMN confinedTo TEXT"

    private static let version5 = "CREATE INDEX eventByDownload ON event (download, id)"

    // The events of a registered session are kept until they are acknowledged.
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

    // `detail`: more about an event, as JSON: the download of `removed`, the settings of
    // `settings`. `seenAt`: when a process of the session was last attached.
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

    // `request` is private: its contents never leave the daemon, and are wiped when a download
    // finishes or is removed. The other tables of this version hold no secrets.
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
