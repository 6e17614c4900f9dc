package import struct FoundationEssentials.Date
package import PawlWire

/// The tokens and login codes that are valid for all daemons of the queue.
///
/// Only a database that several daemons may use has these tables.
package struct TokenTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// The maximum number of login codes.
    package static let mostCodes = 256

    /// A token, of which only digests are stored.
    package struct Row: Sendable, Hashable {
        package var name: String
        package var scope: TokenScope
        /// The digest of the token.
        package var digest: [UInt8]
        /// The digest of the cookie that a browser gets for the token.
        package var cookieDigest: [UInt8]

        package init(
            _ name: String,
            _ scope: TokenScope,
            digest: [UInt8],
            cookieDigest: [UInt8]
        ) {
            (self.name, self.scope) = (name, scope)
            (self.digest, self.cookieDigest) = (digest, cookieDigest)
        }
    }

    // MARK: - Tokens

    /// Returns all tokens except the main token, in the order of their creation.
    package func all() throws -> [Row] {
        try database.rows(
            "SELECT name, scope, digest, cookieDigest FROM token WHERE name <> ? ORDER BY id",
            [TokenName.main]
        ).compactMap { row in
            // A scope that only a newer version knows grants no access.
            guard let scope = TokenScope(rawValue: try row["scope"]) else { return nil }
            return Row(
                try row["name"],
                scope,
                digest: try row["digest"],
                cookieDigest: try row["cookieDigest"]
            )
        }
    }

    /// Adds a token; returns `false` if there is one of this name.
    package func add(_ token: Row) throws -> Bool {
        let name: String? = try database.value(
            """
            INSERT INTO token (name, scope, digest, cookieDigest) VALUES (?, ?, ?, ?)
            ON CONFLICT DO NOTHING RETURNING name
            """,
            [token.name, token.scope.rawValue, token.digest, token.cookieDigest]
        )
        if name != nil { database.noteChange(of: .tokens) }
        return name != nil
    }

    /// Revokes a token other than the main token; returns `false` if there is none of this name.
    package func remove(_ name: String) throws -> Bool {
        let removed: String? = try database.value(
            "DELETE FROM token WHERE name = ? AND name <> ? RETURNING name",
            [name, TokenName.main]
        )
        if removed != nil { database.noteChange(of: .tokens) }
        return removed != nil
    }

    // MARK: - The main token

    /// Returns the main token and the cookie of the page, in the form of `AccessTokenFile.Keys`.
    ///
    /// They are stored themselves: each daemon must be able to print the one and to hand out the
    /// other.
    package func main() throws -> (token: String, cookie: String)? {
        let row = try database.row(
            "SELECT secret, pageCookie FROM token WHERE name = ?",
            [TokenName.main]
        )
        guard let row, let token: String = row.ifValid("secret"),
            let cookie: String = row.ifValid("pageCookie")
        else { return nil }
        return (token, cookie)
    }

    /// Sets the main token and the cookie of the page.
    ///
    /// `isFirst`: whether they are set only if there are none.
    package func setMain(token: String, cookie: String, ifNone isFirst: Bool = false) throws {
        let action =
            isFirst
            ? "NOTHING" : "UPDATE SET secret = excluded.secret, pageCookie = excluded.pageCookie"
        try database.run(
            """
            INSERT INTO token (name, scope, secret, pageCookie) VALUES (?, ?, ?, ?)
            ON CONFLICT (name) DO \(action)
            """,
            [TokenName.main, TokenScope.manage.rawValue, token, cookie]
        )
        database.noteChange(of: .tokens)
    }

    // MARK: - Login codes

    /// Adds the digest of a code that is valid until a time, and removes codes that have expired;
    /// if there are too many, the oldest is no longer valid.
    package func addCode(_ digest: [UInt8], until end: Date) throws {
        try database.run(
            """
            DELETE FROM loginCode WHERE until <= ?1 OR digest IN (
                SELECT digest FROM loginCode ORDER BY until DESC OFFSET ?2
            )
            """,
            [database.now.timeIntervalSince1970, Self.mostCodes - 1]
        )
        try database.run(
            "INSERT INTO loginCode (digest, until) VALUES (?, ?) ON CONFLICT DO NOTHING",
            [digest, end.timeIntervalSince1970]
        )
    }

    /// Redeems a code, which is invalid from now on; returns whether it was valid.
    package func redeemCode(_ digest: [UInt8]) throws -> Bool {
        let until: Double? = try database.value(
            "DELETE FROM loginCode WHERE digest = ? RETURNING until",
            [digest]
        )
        return until.map { $0 > database.now.timeIntervalSince1970 } ?? false
    }
}
