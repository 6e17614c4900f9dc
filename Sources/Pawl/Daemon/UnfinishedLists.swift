internal import struct FoundationEssentials.Date
internal import struct FoundationEssentials.UUID
internal import PawlCore
internal import PawlStorage
internal import PawlWire
internal import SystemPackage

/// The keys of lists of downloads of which a daemon over TCP may have only a part: with the same key,
/// the same list adds only the rest.
///
/// They are in a file in the user's folder of state. Nothing depends on it: if it cannot be used, the
/// next command has a new key.
///
/// Its calls block.
struct UnfinishedLists {
    private static let mostKeys = 100
    /// The daemon forgets a key after a day.
    private static let longestAge = 23.0 * 3600

    /// A list, and the key of its requests.
    struct Entry {
        fileprivate let list: String
        let key: String
        /// The time before the first request with the key: the daemon counts the day of a key from
        /// that request, however often it is repeated; for an import, the time of the last progress.
        private var time: Double
        /// The time that is stored.
        private var storedTime: Double

        fileprivate init(_ list: String) {
            (self.list, key, time) = (list, UUID().uuidString, Self.now)
            storedTime = time
        }

        fileprivate init?(_ line: Substring) {
            let words = line.split(separator: " ")
            guard words.count == 3, let time = Double(words[2]) else { return nil }
            (list, key, self.time) = (String(words[0]), String(words[1]), time)
            storedTime = time
        }

        fileprivate var text: String { "\(list) \(key) \(time)\n" }

        /// Notes that the import with the key has progressed: the daemon knows the key for another day.
        ///
        /// Returns whether the entry should be stored again, which is so once per hour.
        mutating func renew() -> Bool {
            time = Self.now
            guard time - storedTime > 3600 || time < storedTime else { return false }
            storedTime = time
            return true
        }

        /// Whether the daemon still knows the key.
        fileprivate var isCurrent: Bool { Self.now - time < UnfinishedLists.longestAge }

        private static var now: Double { Date().timeIntervalSince1970 }
    }

    private let folder: String
    private let file: PrivateFile

    init(_ paths: DaemonPaths) {
        folder = paths.storeFolder
        file = PrivateFile(
            path: "\(folder)/unfinished-lists",
            what: "the file of unfinished lists",
            advice: "remove it"
        )
    }

    /// Returns a name of a list for a daemon and a token, which reveals neither the list nor the token;
    /// `nil` if the system has no digest for it.
    ///
    /// The daemon keeps the keys of each token apart. So with another token, the list is another one:
    /// it is added for that token as a whole, and what is left of the first one stays known.
    static func name(
        of downloads: [NewDownload],
        for remote: RemoteDaemon
    ) throws(DownloadError) -> String? {
        remote.digest(of: String(decoding: try WireJSON.encode(downloads), as: UTF8.self))
    }

    /// Returns a name of a list whose text identifies it, as above.
    static func name(of list: String, for client: DaemonClient) -> String? {
        if let remote = client.remote { return remote.digest(of: list) }
        return SHA256.digest(of: "\(client.paths.socket) \(list)")?.hexadecimal
    }

    /// Returns the entry of a list; a new one, which is stored, if there is none.
    ///
    /// It is stored before the first request, because the command may be killed after it.
    func begin(_ list: String) -> Entry {
        var entry = Entry(list)
        _ = change { entries in
            if let known = entries.first(where: { $0.list == list }) {
                entry = known
            } else {
                entries.append(entry)
            }
        }
        return entry
    }

    /// Makes sure that an entry is stored, as another command for the same list may have removed it;
    /// returns whether it is.
    func keep(_ entry: Entry) -> Bool {
        change { entries in
            entries.removeAll { $0.list == entry.list }
            entries.append(entry)
        }
    }

    /// Forgets a list that was added completely.
    func remove(_ list: String) {
        _ = change { entries in entries.removeAll { $0.list == list } }
    }

    /// Changes the file, which exists only while there are entries; returns whether that succeeded.
    private func change(_ body: (inout [Entry]) -> Void) -> Bool {
        do throws(DownloadError) {
            try SystemPlaces.preparePrivate(FilePath(folder))
            try file.exclusively { () throws(DownloadError) in
                var entries = entries
                body(&entries)
                let text = entries.suffix(Self.mostKeys).map(\.text).joined()
                guard text.isEmpty else {
                    return try file.write(text, .replace, survivesPowerCut: false)
                }
                // An empty file has the same effect as none.
                try? FilePath(file.path).removeFile()
            }
            return true
        } catch {
            return false
        }
    }

    private var entries: [Entry] {
        // A file that cannot be read counts as missing.
        let text = (try? file.read()) ?? nil
        return (text ?? "").split(separator: "\n").compactMap(Entry.init).filter(\.isCurrent)
    }
}
