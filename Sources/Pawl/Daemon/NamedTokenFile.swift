package import PawlCore
package import PawlWire

/// The file of the tokens that the user has created beside that of `AccessTokenFile`.
///
/// Only the user can read it.
///
/// It has one line per token: name, scope and token, separated by spaces.
package struct NamedTokenFile: Sendable {
    package struct Entry: Sendable, Hashable {
        package var name: String
        package var scope: TokenScope
        package var token: String
    }

    private let file: PrivateFile

    /// The maximum number of tokens.
    package static let most = 100

    package init(_ paths: DaemonPaths) { self.init(path: "\(paths.storeFolder)/api-tokens") }

    package init(path: String) {
        file = PrivateFile(
            path: path,
            what: "the daemon's file of tokens",
            advice: "make it yours and set its mode to 600, or remove it and create new tokens"
        )
    }

    /// The stamp of the file; `nil` if there is none.
    package var stamp: ChangeStamp? { file.stamp }

    /// Returns the tokens in the order of their creation.
    ///
    /// A line that is not valid grants no access.
    package func entries() throws(DownloadError) -> [Entry] {
        try file.read().map { $0.split(separator: "\n").compactMap(Self.entry) } ?? []
    }

    /// Creates a token.
    ///
    /// Throws `.usage` if the name is taken or not valid.
    package func add(_ name: String, _ scope: TokenScope) throws(DownloadError) -> Entry {
        try Self.check(name)
        return try file.exclusively { () throws(DownloadError) in
            var entries = try entries()
            guard !entries.contains(where: { $0.name == name }) else { throw Self.taken(name) }
            guard entries.count < Self.most else { throw Self.tooMany }
            let entry = Entry(name: name, scope: scope, token: RandomText.make())
            entries.append(entry)
            try write(entries)
            return entry
        }
    }

    /// Revokes a token: it grants no access from now on.
    ///
    /// Throws `.notFound` if there is none of that name.
    package func revoke(_ name: String) throws(DownloadError) {
        try file.exclusively { () throws(DownloadError) in
            var entries = try entries()
            guard let index = entries.firstIndex(where: { $0.name == name }) else {
                throw Self.missing(name)
            }
            entries.remove(at: index)
            try write(entries)
        }
    }

    // MARK: - Refusals

    /// Throws `.usage` if a new token may not have this name.
    package static func check(_ name: String) throws(DownloadError) {
        guard !TokenName.isOne(name) else { return }
        throw .usage(
            "'\(name.sanitized(atMost: 60))' is not a valid token name",
            advice:
                "give 1 to 40 letters, digits, '-', '_' or '.'; '\(TokenName.main)' is reserved"
        )
    }

    /// Returns the error of a name that another token has.
    package static func taken(_ name: String) -> DownloadError {
        .usage(
            "a token '\(name)' already exists",
            advice: "choose another name, or run: pawl daemon token --revoke \(name)"
        )
    }

    /// The error of a token too many.
    package static let tooMany = DownloadError.usage(
        "there are already \(most) tokens, which is the maximum",
        advice: "revoke one: pawl daemon token --revoke NAME"
    )

    /// Returns the error of a name that no token has.
    package static func missing(_ name: String) -> DownloadError {
        DownloadError(
            .notFound,
            "there is no token '\(name.sanitized(atMost: 60))'",
            advice: name == TokenName.main
                ? "to replace the main token: pawl daemon token --new"
                : "see 'pawl daemon token --list'"
        )
    }

    private func write(_ entries: [Entry]) throws(DownloadError) {
        let lines = entries.map { "\($0.name) \($0.scope.rawValue) \($0.token)\n" }
        try file.write(lines.joined(), .replace)
    }

    private static func entry(_ line: Substring) -> Entry? {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 3, TokenName.isOne(words[0]),
            let scope = TokenScope(rawValue: words[1]), words[2].utf8.count == RandomText.length
        else { return nil }
        return Entry(name: words[0], scope: scope, token: words[2])
    }
}
