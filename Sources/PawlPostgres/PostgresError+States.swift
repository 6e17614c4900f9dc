/// Errors from what the server and libpq report.
extension PostgresError {
    /// Creates the error for a code of the server (PostgreSQL's manual, appendix A).
    init(state: String, message: String, constraint: String? = nil) {
        let kind = Self.kind(of: state)
        self.init(
            kind,
            "the database reports: \(message)",
            advice: Self.advice(for: kind, state: state),
            state: state,
            constraint: constraint
        )
    }

    /// Creates the error for a failed attempt to connect, from libpq's text in verbose form.
    ///
    /// libpq 15 has no other access to the server's code.
    static func connecting(to address: PostgresAddress, _ text: String) -> PostgresError {
        // A line with a tab is libpq's advice.
        let lines = text.split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("LOCATION:") && !$0.hasPrefix("\t") }
        let states = lines.compactMap { state(in: $0) }
        // Of several hosts, the last one that answered determines what to do.
        let code = states.last { !$0.hasPrefix("57P03") } ?? states.last
        let kind = code.map { Self.kind(of: $0) } ?? Self.kind(ofText: text)
        return PostgresError(
            kind,
            "no connection to the database (\(address)): "
                + lines.map(withoutState).joined(separator: "; "),
            advice: advice(for: kind, state: code ?? ""),
            state: code
        )
    }

    /// Creates the error for a server that is a standby, where only the primary is of use.
    static func standby(at address: PostgresAddress) -> PostgresError {
        PostgresError(
            .readOnly,
            "no connection to the primary server of the database (\(address)): it is a standby",
            advice: advice(for: .readOnly, state: "")
        )
    }

    /// Creates the error for a connection that broke, from the lines of libpq's text.
    static func broken(_ lines: [Substring]) -> PostgresError {
        PostgresError(
            .unreachable,
            "the connection to the database broke: " + lines.joined(separator: " "),
            advice: "check that the server runs; the next call connects again"
        )
    }

    private static func kind(of state: String) -> Kind {
        if let exact = kinds[state] { return exact }
        return classes[String(state.prefix(2))] ?? .failed
    }

    private static let kinds: [String: Kind] = [
        "28000": .wrongPassword, "28P01": .wrongPassword, "3D000": .noDatabase,
        "42501": .notPermitted, "53300": .tooManyConnections, "53100": .diskFull,
        "25006": .readOnly, "42P01": .wrongSchema, "42703": .wrongSchema, "42883": .wrongSchema,
        "3F000": .wrongSchema, "40001": .conflict, "40P01": .conflict, "55P03": .locked,
        "57014": .timedOut, "25P03": .timedOut, "57P05": .timedOut, "57P01": .unreachable,
        "57P02": .unreachable, "57P03": .unreachable, "57P04": .noDatabase,
        "22021": .unusableValue, "22P05": .unusableValue,
    ]

    private static let classes: [String: Kind] = [
        "08": .unreachable, "22": .unusableValue, "23": .constraint, "53": .failed,
    ]

    /// Returns the kind of a failure to connect that libpq itself reports.
    private static func kind(ofText text: String) -> Kind {
        let marks: [(Kind, [String])] = [
            (
                .badAddress,
                [
                    "definition of service", "service file", "invalid connection option",
                    "invalid port number", "invalid sslmode", "invalid integer value",
                    "could not match", "invalid target_session_attrs", "invalid channel_binding",
                ]
            ),
            (.wrongPassword, ["no password supplied"]),
            (.readOnly, ["session is read-only", "server is in hot standby mode"]),
            (.tlsFailed, ["SSL", "certificate"]),
        ]
        return marks.first { $0.1.contains { text.contains($0) } }?.0 ?? .unreachable
    }

    private static func advice(for kind: Kind, state: String) -> String {
        switch kind {
        case .badAddress: "check the address, and the service file if it names one"
        case .unreachable: "check that the server runs and that its address is right"
        case .tlsFailed:
            "check sslmode and sslrootcert: the file must contain the authority that has signed "
                + "the server's certificate, and the certificate the name of the host"
        case .wrongPassword where state == "28000":
            "check the user, and allow it in the server's pg_hba.conf"
        case .wrongPassword:
            "check the user and the password, for example in the file that PGPASSFILE names"
        case .noDatabase: "create it with createdb, with the encoding UTF8"
        case .notPermitted: "grant the right to the user: GRANT … TO USER"
        case .tooManyConnections:
            "raise max_connections of the server, or run fewer nodes or other programs"
        case .diskFull: "make room on the disk of the database"
        case .readOnly:
            "use the address of the primary server; with several hosts, add "
                + "target_session_attrs=read-write"
        case .wrongSchema: "use a database of its own that no other program changes"
        case .tooOld: "use PostgreSQL 14 or newer"
        case .conflict, .locked, .timedOut, .constraint, .unusableValue, .closed, .failed: ""
        }
    }

    /// Returns the code in a line such as `FATAL:  28P01: password authentication failed`.
    private static func state(in line: String) -> String? {
        stateRange(in: line).map { String(line[$0]) }
    }

    private static func withoutState(_ line: String) -> String {
        guard let range = stateRange(in: line) else { return line }
        // Two spaces come before the code, a colon after it.
        return String(line[..<range.lowerBound].dropLast() + line[range.upperBound...].dropFirst(2))
    }

    /// The severity before the code may be in any language.
    private static func stateRange(in line: String) -> Range<String.Index>? {
        var rest = line[...]
        while let start = rest.firstRange(of: ":  ")?.upperBound {
            rest = rest[start...]
            let code = rest.prefix(5)
            let isCode = code.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            }
            if code.count == 5, isCode, rest.dropFirst(5).hasPrefix(": ") {
                return code.startIndex..<code.endIndex
            }
        }
        return nil
    }
}
