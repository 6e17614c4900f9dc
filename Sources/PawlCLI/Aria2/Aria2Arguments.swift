package import PawlCore
package import PawlWire

/// A command line of aria2 (pure).
package struct Aria2Arguments: Sendable {
    /// The options, in their order.
    package private(set) var options: [Aria2Launch.Option] = []
    package private(set) var uris: [String] = []

    /// The long names of the options with a letter.
    private static let letters: [Character: String] = [
        "a": "file-allocation", "c": "continue", "d": "dir", "D": "daemon", "h": "help",
        "i": "input-file", "j": "max-concurrent-downloads", "k": "min-split-size", "l": "log",
        "m": "max-tries", "M": "metalink-file", "n": "no-netrc", "o": "out",
        "P": "parameterized-uri", "q": "quiet", "R": "remote-time", "s": "split",
        "S": "show-files", "t": "timeout", "T": "torrent-file", "u": "max-upload-limit",
        "U": "user-agent", "v": "version", "V": "check-integrity",
        "x": "max-connection-per-server", "Z": "force-sequential",
    ]

    /// The options that need no value: they have one only after a `=`.
    private static let switches: Set = [
        "allow-overwrite", "allow-piece-length-change", "always-resume", "async-dns",
        "auto-file-renaming", "check-certificate", "check-integrity", "conditional-get",
        "content-disposition-default-utf8", "continue", "daemon", "deferred-input",
        "disable-ipv6", "dry-run", "enable-color", "enable-http-keep-alive",
        "enable-http-pipelining", "enable-mmap", "enable-rpc", "force-save", "force-sequential",
        "ftp-pasv", "ftp-reuse-connection", "hash-check-only", "help", "http-accept-gzip",
        "http-auth-challenge", "http-no-cache", "human-readable",
        "keep-unfinished-download-result", "metalink-enable-unique-protocol", "no-conf",
        "no-netrc", "optimize-concurrent-downloads", "parameterized-uri", "pause",
        "pause-metadata", "quiet", "realtime-chunk-checksum", "remote-time",
        "remove-control-file", "reuse-uri", "rpc-allow-origin-all", "rpc-listen-all",
        "rpc-save-upload-metadata", "rpc-secure", "save-not-found", "select-least-used-host",
        "show-console-readout", "show-files", "stderr", "truncate-console-readout", "use-head",
        "version",
    ]

    /// The options without which Pawl does what they ask for, or which concern only aria2's
    /// console.
    private static let needless: Set = [
        "continue", "save-session", "save-session-interval", "auto-save-interval", "disk-cache",
        "file-allocation", "min-split-size", "rpc-allow-origin-all", "console-log-level",
        "summary-interval", "enable-color", "show-console-readout", "human-readable", "log",
        "log-level", "force-save", "keep-unfinished-download-result", "max-download-result",
        "always-resume", "allow-piece-length-change", "check-integrity", "conditional-get",
        "piece-length", "uri-selector", "stream-piece-selector", "parameterized-uri",
        "follow-metalink", "follow-torrent", "async-dns", "rpc-max-request-size",
    ]

    private static let used: Set = [
        "dir", "out", "input-file", "metalink-file", "conf-path", "no-conf", "quiet", "daemon",
        "help", "version", "enable-rpc", "rpc-listen-port", "rpc-listen-all", "rpc-secret",
        "max-concurrent-downloads", "max-overall-download-limit", "force-sequential", "gid",
        "pause", "dry-run", "http-user", "http-passwd", "ftp-user", "ftp-passwd", "allow-overwrite",
        "auto-file-renaming", "stop", "stop-with-process", "rpc-secure", "rpc-certificate",
        "rpc-private-key",
    ]

    /// The options whose values must not be seen in the list of processes.
    package static let secrets = SecretOptions(names: [
        "rpc-secret", "rpc-passwd", "http-passwd", "ftp-passwd", "header", "all-proxy",
        "http-proxy", "https-proxy", "all-proxy-passwd", "http-proxy-passwd",
        "https-proxy-passwd",
    ])

    /// Reads a command line without the program's name.
    package init(_ arguments: [String]) throws(DownloadError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                uris += rest
                return
            }
            if argument.hasPrefix("--") {
                try readLong(argument.dropFirst(2), &rest)
            } else if argument.hasPrefix("-"), argument.utf8.count > 1 {
                try readLetters(argument.dropFirst(), &rest)
            } else {
                uris.append(argument)
            }
        }
    }

    /// Reads a configuration file of aria2, or the options of one download in a list.
    package init(configuration text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmed(of: " \t\r")
            guard !line.hasPrefix("#"), let mark = line.firstIndex(of: "=") else { continue }
            let name = line[..<mark].trimmed(of: " \t")
            options.append(.init(name, line[line.index(after: mark)...].trimmed(of: " \t")))
        }
    }

    private mutating func readLong(
        _ text: Substring,
        _ rest: inout ArraySlice<String>
    ) throws(DownloadError) {
        if let mark = text.firstIndex(of: "=") {
            let value = String(text[text.index(after: mark)...])
            options.append(.init(String(text[..<mark]), value))
        } else {
            try add(String(text), nil, &rest)
        }
    }

    private mutating func readLetters(
        _ text: Substring,
        _ rest: inout ArraySlice<String>
    ) throws(DownloadError) {
        var text = text
        while let letter = text.popFirst() {
            guard let name = Self.letters[letter] else {
                throw Self.invalid("-\(letter)", "is unknown")
            }
            guard Self.switches.contains(name) else {
                return try add(name, text.isEmpty ? nil : String(text), &rest)
            }
            if ["true", "false"].contains(text) {
                return options.append(.init(name, String(text)))
            }
            options.append(.init(name, "true"))
        }
    }

    /// Adds an option, whose value may be the next argument.
    private mutating func add(
        _ name: String,
        _ value: String?,
        _ rest: inout ArraySlice<String>
    ) throws(DownloadError) {
        if let value { return options.append(.init(name, value)) }
        guard !Self.switches.contains(name), !name.hasPrefix("bt-"), !name.hasPrefix("enable-")
        else { return options.append(.init(name, "true")) }
        guard Self.isKnown(name) else {
            // Whether an unknown option has a value can only be guessed.
            let isValue = rest.first.map { !$0.hasPrefix("-") && !$0.contains("://") } ?? false
            return options.append(.init(name, isValue ? rest.removeFirst() : ""))
        }
        guard let next = rest.popFirst() else { throw Self.invalid("--\(name)", "needs a value") }
        options.append(.init(name, next))
    }

    private static func invalid(_ option: String, _ reason: String) -> DownloadError {
        .usage("\(option.sanitized(atMost: 40)) \(reason)", advice: "see 'aria2c --help'")
    }

    private static func isKnown(_ name: String) -> Bool {
        used.contains(name) || needless.contains(name) || Aria2Option.byName[name] != nil
    }

    // MARK: - Values

    /// Puts the options of a configuration file before those of the command line.
    package mutating func precede(with configuration: Aria2Arguments) {
        options = configuration.options + options
    }

    /// Returns the value that is given last; `nil` if none is.
    package subscript(name: String) -> String? { options.last { $0.name == name }?.value }

    package func isOn(_ name: String) -> Bool { self[name] == "true" }

    /// Returns the process whose end also ends this one; `nil` if none is given.
    func stopProcess() throws(DownloadError) -> Int32? {
        try number("stop-with-process", in: 1...Int32.max)
    }

    /// Returns the number of seconds after which the process ends; `nil` if there is no limit.
    func stopSeconds() throws(DownloadError) -> Int? {
        let seconds: Int32? = try number("stop", in: 0...Int32.max)
        // As in aria2, 0 means that there is no limit.
        return seconds == 0 ? nil : seconds.map(Int.init)
    }

    /// Returns the value of an option; `nil` if it is not given.
    private func number(
        _ option: String,
        in range: ClosedRange<Int32>
    ) throws(DownloadError) -> Int32? {
        guard let text = self[option] else { return nil }
        guard let number = Int32(text), range.contains(number) else {
            throw .usage(
                "--\(option): invalid value '\(text.sanitized(atMost: 40))'",
                advice: "give a number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    /// The names of the options that have no effect, each once.
    package var unknown: [String] {
        Set(options.map(\.name)).filter { !Self.isKnown($0) }.sorted()
    }

    /// Throws `.usage` if the arguments ask for what Pawl must not do in another way, if they name
    /// nothing to download, or if Pawl cannot use a value.
    package func check() throws(DownloadError) {
        // A program that asks for this must not get the files.
        guard ["false", nil].contains(self["dry-run"]) else {
            throw .usage(
                "--dry-run is not available: Pawl would download the files",
                advice: "to see what the server would send, use 'pawl inspect'"
            )
        }
        let isList = self["input-file"] != nil || self["metalink-file"] != nil
        guard !uris.isEmpty || isList || isOn("enable-rpc") else {
            throw .usage("missing URI", advice: "see 'aria2c --help'")
        }
        try Aria2Values.check(options)
    }

    /// The files that the arguments name, each with all of its URIs.
    package var downloads: [[String]] {
        guard uris.count > 1, !isOn("force-sequential") else { return uris.map { [$0] } }
        return [uris]
    }
}
