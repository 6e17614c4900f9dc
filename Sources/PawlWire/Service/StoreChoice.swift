package import PawlCore

/// Where the daemon keeps its queue, as the option `--store`, a variable or the config file names
/// it.
package enum StoreChoice: Hashable, Sendable {
    /// A file in the daemon's folder.
    case file
    /// A database of PostgreSQL at this address, which may contain a password.
    case postgres(String)

    /// The name of the option, and of the key in the config file.
    package static let name = "store"
    /// The environment variable that the daemon reads.
    package static let variable = "PAWL_STORE"
    /// The environment variable that may contain the password of a database.
    package static let passwordVariable = "PGPASSWORD"
    /// The changes to the environment of programs that the daemon runs: they do not get the password
    /// of the queue's database.
    package var programEnvironment: [String: String?] {
        switch self {
        case .file: [:]
        case .postgres: [Self.passwordVariable: nil]
        }
    }

    /// The value that stands for the file.
    private static let sqlite = "sqlite"

    /// Parses `sqlite`, a URL that starts with `postgres://`, or keywords such as `host=HOST`.
    ///
    /// The error does not contain the text, which may have a password.
    package init(parsing text: String) throws(ValueError) {
        if text.lowercased() == Self.sqlite {
            self = .file
            return
        }
        let isURL = text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
        guard isURL || (text.contains("=") && !text.contains("://")) else {
            throw ValueError(
                "the value is not the address of a PostgreSQL database",
                advice: """
                    write postgres://USER@HOST:PORT/DATABASE, or keywords such as \
                    'host=HOST dbname=DATABASE', or sqlite for a file
                    """
            )
        }
        self = .postgres(text)
    }

    /// Whether an address contains a password, or seems to.
    package static func hasPassword(_ address: String) -> Bool {
        // As a keyword, or as a parameter of a URL.
        guard !address.lowercased().contains("password") else { return true }
        guard address.contains("://") else { return false }
        return AddressParts(address).userInfo?.contains(":") ?? false
    }
}
