internal import struct FoundationEssentials.URL
package import PawlCore

/// The tables of an index, kept in agreement: what is known of each key, and which key has, or will
/// have, which name.
package struct LibraryTables: Sendable {
    package typealias Entry = LibraryIndex.Entry
    typealias Download = LibraryIndex.Download
    typealias Action = LibraryIndex.Action

    package private(set) var entries: [StorageKey: Entry] = [:]
    /// The files of the folder that are not Pawl's own.
    private var files: [ExactText: FileStamp] = [:]
    /// The key that has the file of a name.
    private var owners: [ExactText: StorageKey] = [:]
    /// The unfinished download that will have a name.
    private var targets: [ExactText: StorageKey] = [:]
    /// The key of each shortened form.
    private var shortened: [String: StorageKey] = [:]
    /// The key that is checking on disk whether it can have a name.
    private var reservations: [ExactText: StorageKey] = [:]
    /// The sources of files that are gone, so that their keys can be requested again.
    private var formerFiles: [StorageKey: (url: URL, name: ExactText)] = [:]
    private static let mostFormerFiles = 10_000

    // MARK: - Files and downloads

    /// Returns the source and the name of a key's file that is gone.
    func formerFile(of key: StorageKey) -> (url: URL, name: ExactText)? { formerFiles[key] }

    mutating func setFile(_ file: KnownFile?, of key: StorageKey) {
        if let old = entries[key]?.file, owners[old.name] == key { owners[old.name] = nil }
        if file == nil { noteFormerFile(of: key) }
        entries[key, default: Entry()].file = file
        if let file {
            formerFiles[key] = nil
            // This file has replaced another key's.
            if let other = owners[file.name], other != key {
                entries[other]?.file = nil
                removeIfEmpty(other)
            }
            owners[file.name] = key
            files[file.name] = file.stamp
        }
        removeIfEmpty(key)
    }

    private mutating func noteFormerFile(of key: StorageKey) {
        guard let file = entries[key]?.file, let url = file.record.fetchableURL else { return }
        // The memory is bounded. The program knows the URLs, too.
        if formerFiles.count >= Self.mostFormerFiles { formerFiles.removeAll() }
        formerFiles[key] = (url, file.name)
    }

    mutating func setDownload(_ download: Download?, of key: StorageKey) {
        if let old = entries[key]?.download, targets[old.pending.name] == key {
            targets[old.pending.name] = nil
        }
        entries[key, default: Entry()].download = download
        if let download { targets[download.pending.name] = key }
        removeIfEmpty(key)
    }

    private mutating func removeIfEmpty(_ key: StorageKey) {
        if let entry = entries[key], entry.file == nil, entry.download == nil { entries[key] = nil }
    }

    /// Returns the key's file that has this name, as far as is known.
    func ownFile(named name: ExactText) -> KnownFile? { owners[name].flatMap { entries[$0]?.file } }

    // MARK: - Names

    /// Returns a name that nothing but the key itself has or will have.
    package func freeName(_ name: ExactText, for key: StorageKey) -> ExactText {
        FreeName.first(of: name.text) { isFree(ExactText($0), for: key) }
            .map { ExactText($0) } ?? name
    }

    /// Whether the key may have that name.
    ///
    /// A changed file is somebody's work, even if it is the key's own.
    package func isFree(_ name: ExactText, for key: StorageKey) -> Bool {
        for taken in [targets[name], reservations[name]] {
            if let taken, taken != key { return false }
        }
        guard let owner = owners[name] else { return files[name] == nil }
        return owner == key && entries[key]?.file?.isChanged == false
    }

    /// Reserves a name for the key until `unreserve`.
    ///
    /// Returns `false` if the key may not have it.
    mutating func reserve(_ name: ExactText, for key: StorageKey) -> Bool {
        guard isFree(name, for: key) else { return false }
        reservations[name] = key
        return true
    }

    mutating func unreserve(_ name: ExactText) { reservations[name] = nil }

    /// Returns the names under which files of a key exist or may appear, as far as is known.
    package func names(of key: StorageKey) -> Set<ExactText> {
        guard let entry = entries[key] else { return [] }
        let known = [entry.file?.name, entry.download?.pending.name].compactMap(\.self)
        return Set(known + (entry.download?.mayBeAt ?? []))
    }

    /// Returns the key that has the file of a name.
    func owner(of name: ExactText) -> StorageKey? { owners[name] }

    /// Returns the key whose unfinished download will have a name.
    func target(of name: ExactText) -> StorageKey? { targets[name] }

    /// Returns the key of a note on a download.
    func key(ofNote name: ExactText) -> StorageKey? {
        guard let form = LibraryName.form(ofPending: name.text) else { return nil }
        // A shortened form does not contain the whole key, so the known ones are searched.
        return StorageKey(plainForm: form) ?? shortened[form]
    }

    /// Records the key of a form that may be shortened.
    mutating func noteForm(_ form: String, of key: StorageKey) {
        if StorageKey(plainForm: form) == nil { shortened[form] = key }
    }

    // MARK: - The folder

    /// Returns the stamp of a file that is not Pawl's own; `nil` if no file has the name.
    func stamp(of name: ExactText) -> FileStamp? { files[name] }

    mutating func setStamp(_ stamp: FileStamp, of name: ExactText) { files[name] = stamp }

    /// Removes a name from the folder.
    ///
    /// Returns `false` if no file had it.
    mutating func removeStamp(of name: ExactText) -> Bool { files.removeValue(forKey: name) != nil }

    /// Changes the name of a file.
    ///
    /// Returns its key, if it has one.
    mutating func rename(_ from: ExactText, to name: ExactText) -> StorageKey? {
        files[name] = files.removeValue(forKey: from)
        guard let key = owners[from] else { return nil }
        if var file = entries[key]?.file {
            file.name = name
            setFile(file, of: key)
        }
        return key
    }
}
