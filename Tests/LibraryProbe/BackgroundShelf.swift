import FoundationEssentials
import Glibc
import Pawl
import PawlLibrary

/// A library whose downloads the daemon runs, or this process if it has no session.
///
/// Each line of the input is one command: `start KEY URL`, `refetch KEY URL`, `replace KEY URL`,
/// `pause KEY`, `resume KEY`, `cancel KEY`, `delete KEY`, `clean`, `keys`, `await COUNT STATE`,
/// `close`.
struct BackgroundShelf {
    private let library: DownloadLibrary

    /// `options` are `--session IDENTIFIER` and `--take-over`.
    init(_ folder: String, _ options: ArraySlice<String>) async throws(DownloadError) {
        var configuration = LibraryConfiguration()
        var options = options
        while let option = options.popFirst() {
            switch option {
            case "--session":
                configuration.session = .background(identifier: options.popFirst() ?? "")
            case "--take-over": configuration.session.takesOverBackgroundSession = true
            default: exit(2)
            }
        }
        configuration.session.settings.connections = .fixed(1)
        library = try await DownloadLibrary(
            folder: .directory(folder),
            configuration: configuration
        )
    }

    func run() async {
        let events = library.events
        Task { for await event in events { Self.report(event) } }
        Self.print("ready")
        while let line = await Task.detached(operation: { readLine() }).value {
            let words = line.split(separator: " ").map(String.init)
            guard let verb = words.first else { continue }
            do throws(DownloadError) {
                if verb == "await", words.count > 2, let count = Int(words[1]) {
                    await showKeys(when: count, are: words[2...].joined(separator: " "))
                    continue
                }
                try await run(verb, StorageKey(words.count > 1 ? words[1] : ""), words.last ?? "")
            } catch {
                Self.print("refused \(verb) \(error.code.rawValue): \(error.message)")
            }
        }
    }

    private func run(
        _ verb: String,
        _ key: StorageKey,
        _ last: String
    ) async throws(DownloadError) {
        let url = URL(string: last)
        switch verb {
        case "start": try library.start(key, from: url)
        case "refetch":
            var request = LibraryRequest(url)
            request.policy = .reload
            try library.start(key, request)
        case "replace": if let url { try library.replaceURL(url, for: key) }
        case "pause": library.pause(key)
        case "resume": try library.start(key)
        case "cancel": Self.print("was \(try await library.cancel(key))")
        case "delete": Self.print("was \(try await library.delete(key))")
        case "clean":
            let cleaning = try await library.clean(CleaningPolicy(maximumTotalBytes: 0))
            Self.print("cleaned \(cleaning.removed.count) kept \(cleaning.kept.count)")
        case "keys": showKeys()
        case "close":
            await library.close()
            Self.print("closed")
        default: Self.print("what is '\(verb)'?")
        }
    }

    private func showKeys() {
        let keys = library.entries.map { "\($0.key.text) \(Self.state($0))" }
        Self.print("keys [\(keys.joined(separator: ", "))]")
    }

    /// Shows the keys when `count` of them are in a state that begins so.
    private func showKeys(when count: Int, are state: String) async {
        var events = library.events.makeAsyncIterator()
        while library.entries.count(where: { Self.state($0).hasPrefix(state) }) < count {
            guard await events.next() != nil else { return }
        }
        showKeys()
    }

    private static func state(_ entry: LibraryEntry) -> String {
        switch entry.state {
        case .running: "running \(entry.receivedBytes)"
        case .runningElsewhere(let process): "elsewhere \(process.map { "\($0)" } ?? "?")"
        case .paused: "paused \(entry.receivedBytes)"
        case .failed(let error): "failed \(error.code.rawValue)"
        case .finished:
            "finished \(entry.file?.digest?.description ?? "-") \(entry.file?.entityTag ?? "-")"
        case .changed: "changed"
        }
    }

    private static func report(_ event: LibraryEvent) {
        switch event {
        case .started(let key): print("started \(key.text)")
        case .paused(let key): print("paused \(key.text)")
        case .finished(let file): print("finished \(file.key.text) \(file.name)")
        case .failed(let key, let error): print("failed \(key.text) \(error.code.rawValue)")
        case .cancelled(let key): print("cancelled \(key.text)")
        case .fileAdded(let name, let key): print("added \(name) \(key?.text ?? "-")")
        default: break
        }
    }

    private static func print(_ text: String) {
        // Flushing all of C's streams would wait for the one that is being read.
        let bytes = Array("\(text)\n".utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }
}
