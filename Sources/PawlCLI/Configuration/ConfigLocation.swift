internal import Glibc
internal import Pawl
internal import PawlCore

/// Where the config file is.
struct ConfigLocation: Sendable {
    /// `nil` if there is no home folder.
    let path: String?
    /// Whether the user has named the file, which must then exist.
    let isNamed: Bool
    private let home: String?

    /// Finds the file: the named one, otherwise `pawl/config.toml` in the folder for configuration.
    init(_ named: String?) {
        let places = Places(applicationIdentifier: "pawl")
        home = try? places.path(of: .home)
        path = named ?? (try? places.path(of: .preferences)).map { "\($0)/config.toml" }
        isNamed = named != nil
    }

    /// The path as a user would write it.
    var name: String {
        guard let path else { return "the config file" }
        guard let home, let names = path.names(below: home) else { return path.sanitized }
        return "~/" + names.joined(separator: "/").sanitized
    }

    var exists: Bool { path.map { access($0, F_OK) == 0 } ?? false }

    /// What a user should know about the file.
    func notes(_ config: UserConfig) -> [String] {
        var status = stat()
        guard let path, config.hasSecrets, stat(path, &status) == 0, Self.canOthersRead(status)
        else { return [] }
        return [
            "\(name) contains secrets, and other users can read it: make it private with chmod 600"
        ]
    }

    /// Returns the file; `nil` if there is none.
    ///
    /// With `names`, it contains only these options, and mistakes in others are ignored.
    func read(only names: [String]? = nil) throws(DownloadError) -> ConfigFile? {
        guard let path, isNamed || exists else { return nil }
        var canOthersRead = false
        let text = try InputFile.text(
            of: path,
            location: "the config file",
            form: "a file in TOML"
        ) { (status) throws(DownloadError) in
            try checkOwner(status)
            canOthersRead = Self.canOthersRead(status)
        }
        let file = try ConfigFile(text, name: name, home: home, only: names)
        guard !file.hasToken && !file.hasStorePassword || !canOthersRead else {
            let secret =
                file.hasToken ? "a token of a daemon" : "the password of the daemon's database"
            throw DownloadError(
                .fileUnreadable,
                "\(name) contains \(secret), and other users can read it",
                advice: "make the file private: chmod 600 \(path.sanitized)"
            )
        }
        return file
    }

    private static func canOthersRead(_ status: stat) -> Bool { status.st_mode & 0o044 != 0 }

    /// Throws if other users can write the file, whose commands they could choose.
    private func checkOwner(_ status: stat) throws(DownloadError) {
        guard status.st_mode & S_IFMT == S_IFREG else { return }
        // Where each user has a group of their own, files of that group are writable for it.
        let others: mode_t = status.st_gid == getgid() ? 0o002 : 0o022
        guard status.st_uid == getuid() || status.st_uid == 0, status.st_mode & others == 0 else {
            throw DownloadError(
                .fileUnreadable,
                "\(name) can be changed by other users",
                advice: "make it writable only by you: chmod go-w, and chown if it belongs to "
                    + "another user"
            )
        }
    }
}
