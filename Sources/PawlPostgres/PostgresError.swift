/// A failure of the database, or of the connection to it.
package struct PostgresError: Error, Hashable, Sendable {
    /// What a caller decides by.
    package enum Kind: Hashable, Sendable {
        /// The address is not valid, or names a service or a file that does not exist.
        case badAddress
        /// No connection could be made, or it broke.
        case unreachable
        /// The server's certificate was rejected, or one of both sides has no TLS.
        case tlsFailed
        /// A password is missing or wrong, or the server accepts no such user.
        case wrongPassword
        case noDatabase
        case notPermitted
        case tooManyConnections
        case diskFull
        /// The server accepts no changes, for example because it is a standby.
        case readOnly
        /// A table or a column does not exist.
        case wrongSchema
        /// The server is older than Pawl supports.
        case tooOld
        /// The transaction has to be repeated: a deadlock, or a conflict with another one.
        case conflict
        /// Another transaction holds a lock for too long.
        case locked
        /// The call's deadline or the server's own time limit was reached.
        case timedOut
        /// A constraint of a table forbids the value.
        case constraint
        /// A value that PostgreSQL cannot store or that has another type.
        case unusableValue
        /// The connection was closed by its owner, or the caller's task was cancelled.
        case closed
        case failed
    }

    package let kind: Kind
    /// The server's code, `SQLSTATE`; `nil` if the server did not report the failure.
    package let state: String?
    /// What failed.
    package let message: String
    /// What to do next; empty if there is no advice.
    package let advice: String
    /// The name of the constraint that was violated.
    package let constraint: String?

    package init(
        _ kind: Kind,
        _ message: String,
        advice: String = "",
        state: String? = nil,
        constraint: String? = nil
    ) {
        self.kind = kind
        self.state = state
        self.message = message
        self.advice = advice
        self.constraint = constraint
    }

    /// Whether the same work can succeed later without a change by the user.
    package var isTemporary: Bool {
        switch kind {
        case .unreachable, .tooManyConnections, .diskFull, .conflict, .locked, .timedOut: true
        case .badAddress, .tlsFailed, .wrongPassword, .noDatabase, .notPermitted, .readOnly,
            .wrongSchema, .tooOld, .constraint, .unusableValue, .closed, .failed:
            false
        }
    }
}

extension PostgresError: CustomStringConvertible {
    package var description: String { advice.isEmpty ? message : "\(message); \(advice)" }
}
