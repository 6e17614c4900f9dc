internal import struct FoundationEssentials.Date
internal import struct FoundationEssentials.UUID
internal import PawlCore
internal import PawlStorage
internal import PawlWire
internal import SystemPackage

/// The keys of lists of downloads of which a daemon over TCP has only a part: with the same key, the
/// same list adds only the rest.
///
/// They are in a file in the user's folder of state. Nothing depends on it: if it cannot be used, the
/// next request has a new key.
struct UnfinishedLists {
    private static let mostKeys = 100
    /// The daemon forgets a key after a day.
    private static let longestAge = 23.0 * 3600

    private struct Entry {
        var list: String
        var key: String
        var time: Double

        init(_ list: String, _ key: String, _ time: Double) {
            (self.list, self.key, self.time) = (list, key, time)
        }

        init?(_ line: Substring) {
            let words = line.split(separator: " ")
            guard words.count == 3, let time = Double(words[2]) else { return nil }
            self.init(String(words[0]), String(words[1]), time)
        }

        var text: String { "\(list) \(key) \(time)\n" }
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

    /// Returns a name of a list for a daemon, which does not reveal the list; `nil` if the system has
    /// no digest for it.
    static func name(
        of downloads: [NewDownload],
        for url: String
    ) throws(DownloadError) -> String? {
        let json = String(decoding: try WireJSON.encode(downloads), as: UTF8.self)
        return SHA256.digest(of: "\(url) \(json)")?.map(\.hexadecimal).joined()
    }

    /// Returns the key of an unfinished list; a new one if it is not known.
    func key(of list: String) -> String {
        entries.first { $0.list == list }?.key ?? UUID().uuidString
    }

    /// Stores the key of a list of which a part may have been added; returns whether it was stored.
    func keep(_ key: String, of list: String) -> Bool {
        change { entries in
            entries.removeAll { $0.list == list }
            entries.append(Entry(list, key, Self.now))
        }
    }

    /// Forgets a list that was added completely.
    func remove(_ list: String) {
        guard entries.contains(where: { $0.list == list }) else { return }
        _ = change { entries in entries.removeAll { $0.list == list } }
    }

    private func change(_ body: (inout [Entry]) -> Void) -> Bool {
        do throws(DownloadError) {
            try SystemPlaces.preparePrivate(FilePath(folder))
            try file.exclusively { () throws(DownloadError) in
                var entries = entries
                body(&entries)
                let text = entries.suffix(Self.mostKeys).map(\.text).joined()
                try file.write(text, .replace, survivesPowerCut: false)
            }
            return true
        } catch {
            return false
        }
    }

    private var entries: [Entry] {
        // A file that cannot be read counts as missing.
        let text = (try? file.read()) ?? nil
        return (text ?? "").split(separator: "\n").compactMap(Entry.init)
            .filter { Self.now - $0.time < Self.longestAge }
    }

    private static var now: Double { Date().timeIntervalSince1970 }
}
