internal import Glibc
internal import Pawl
internal import PawlCore

/// The two files with which a browser finds the native host: the manifest, and a script that starts
/// it, because a manifest cannot contain arguments.
struct HostManifest {
    /// The name of the native host, which the extension uses.
    static let name = "org.pawl.host"
    /// The id that follows from `key` in the extension's manifest.json.
    private static let chromiumOrigin = "chrome-extension://odbjaenahpejckehdnennpcngmflbamd/"
    private static let firefoxID = "extension@pawl"
    private static let mark = "# Written by pawl native-host install"

    private let browser: Browser
    private let folder: String

    init(in folder: NativeHostFolder) {
        (browser, self.folder) = (folder.browser, folder.path)
    }

    /// The path of the manifest.
    var path: String { "\(folder)/\(Self.name).json" }
    private var scriptPath: String { "\(folder)/\(Self.name)" }

    /// Writes both files.
    ///
    /// Throws `.fileExists` if there is a script of that name that Pawl did not write.
    func install(_ surroundings: ServiceSurroundings) throws(DownloadError) {
        try checkOwner()
        try UserFile(path: scriptPath).write(Self.script(surroundings), mode: 0o755)
        try UserFile(path: path).write(JSONOutput.pretty(content) + "\n", mode: 0o644)
    }

    /// Removes both files; returns whether there was one.
    ///
    /// Throws `.fileExists` if there is a script of that name that Pawl did not write.
    func uninstall() throws(DownloadError) -> Bool {
        try checkOwner()
        let isRemoved = try UserFile(path: path).remove()
        return try UserFile(path: scriptPath).remove() || isRemoved
    }

    private func checkOwner() throws(DownloadError) {
        let file = UserFile(path: scriptPath)
        guard file.exists, file.text?.contains(Self.mark) != true else { return }
        throw DownloadError(
            .fileExists,
            "\(scriptPath) exists and was not written by 'pawl native-host install'",
            advice: "rename it first"
        )
    }

    // MARK: - Their content

    private struct Content: Encodable {
        var name: String
        var description: String
        var path: String
        var type = "stdio"
        var allowedOrigins: [String]?
        var allowedExtensions: [String]?

        private enum CodingKeys: String, CodingKey {
            case name, description, path, type
            case allowedOrigins = "allowed_origins"
            case allowedExtensions = "allowed_extensions"
        }
    }

    private var content: Content {
        var content = Content(
            name: Self.name,
            description: "Passes the browser's downloads to Pawl",
            path: scriptPath
        )
        if browser == .firefox {
            content.allowedExtensions = [Self.firefoxID]
        } else {
            content.allowedOrigins = [Self.chromiumOrigin]
        }
        return content
    }

    /// The script finds the same daemon as this process, because a browser does not have the
    /// shell's environment.
    private static func script(_ surroundings: ServiceSurroundings) throws(DownloadError) -> String
    {
        guard let program = surroundings.program else {
            throw DownloadError(
                .unknown,
                "the system does not report the path of this program",
                advice: "mount /proc"
            )
        }
        let variables = surroundings.environment.map { "export \($0.name)=\(quoted($0.value))\n" }
        return """
            #!/bin/sh
            \(mark); pawl native-host uninstall removes it.
            \(variables.joined())exec \(quoted(program)) native-host run -- "$@"

            """
    }

    /// The text as one word of the shell.
    private static func quoted(_ text: String) -> String {
        "'\(text.replacingASCII("'", with: "'\\''"))'"
    }
}
