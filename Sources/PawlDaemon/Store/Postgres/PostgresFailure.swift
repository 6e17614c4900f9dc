package import PawlCore
internal import PawlPostgres

/// The errors of the database in the words of the queue.
package enum PostgresFailure {
    /// A commit whose outcome cannot be found out.
    struct UnknownCommit: Error {
        var cause: PostgresError
    }

    package static func explained(_ error: any Error, _ context: String) -> DownloadError {
        switch error {
        case let error as DownloadError: error
        case let error as PostgresError: explained(error, context)
        case let error as UnknownCommit: unknownCommit(error.cause, context)
        case let error as WrongColumnType:
            DownloadError(
                .diskFailure,
                "the queue's database failed: \(error)",
                advice: "check that no other program changes the database",
                context: context
            )
        default: DownloadError(.unknown, "\(error)", context: context)
        }
    }

    /// Whether the database has failed, and not the work of a transaction.
    static func isOfTheStore(_ error: any Error) -> Bool {
        error is PostgresError || error is UnknownCommit || error is WrongColumnType
    }

    private static func explained(_ error: PostgresError, _ context: String) -> DownloadError {
        DownloadError(
            code(of: error.kind),
            message(of: error),
            advice: Advice(advice(for: error)),
            context: context
        )
    }

    private static func unknownCommit(_ cause: PostgresError, _ context: String) -> DownloadError {
        DownloadError(
            .storeUnavailable,
            "it is not known whether the queue was changed: \(cause.message)",
            advice: "check the list of downloads when the database is available again",
            context: context
        )
    }

    private static func code(of kind: PostgresError.Kind) -> ErrorCode {
        switch kind {
        case .diskFull: .diskFull
        case .badAddress: .usage
        case .wrongSchema, .tooOld: .directoryNotUsable
        case .unreachable, .tlsFailed, .wrongPassword, .noDatabase, .notPermitted,
            .tooManyConnections, .readOnly, .conflict, .locked, .timedOut, .closed:
            .storeUnavailable
        case .constraint, .unusableValue, .failed: .diskFailure
        }
    }

    private static func message(of error: PostgresError) -> String {
        switch error.kind {
        case .diskFull: "no space for the queue: \(error.message)"
        case .wrongSchema:
            "the queue's tables in the database are not those of Pawl: \(error.message)"
        case .constraint, .unusableValue, .failed: "the queue's database failed: \(error.message)"
        default: error.message
        }
    }

    private static func advice(for error: PostgresError) -> String {
        guard error.advice.isEmpty else { return error.advice }
        return switch error.kind {
        case .conflict, .locked, .timedOut:
            "check the load of the database, and that no other session holds locks"
        default: "see the log of the database"
        }
    }
}
