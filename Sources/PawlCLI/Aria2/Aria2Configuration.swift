internal import Glibc
internal import Pawl
internal import PawlCore

/// The configuration file of aria2.
enum Aria2Configuration {
    /// Returns the options of the file that the arguments name, or of the usual one; `nil` if no
    /// file is to be read.
    static func read(for arguments: Aria2Arguments) throws(DownloadError) -> Aria2Arguments? {
        guard !arguments.isOn("no-conf") else { return nil }
        guard let path = arguments["conf-path"] ?? usualPath else { return nil }
        let text = try InputFile.text(
            of: path,
            location: "--conf-path",
            form: "a configuration file of aria2"
        )
        return Aria2Arguments(configuration: text.replacing("${HOME}", with: home ?? ""))
    }

    private static var home: String? { getenv("HOME").map { String(cString: $0) } }

    private static var usualPath: String? {
        guard let home else { return nil }
        let configuration = getenv("XDG_CONFIG_HOME").map { String(cString: $0) }
        let folder = configuration.flatMap { $0.isAbsolutePath ? $0 : nil } ?? "\(home)/.config"
        return ["\(home)/.aria2/aria2.conf", "\(folder)/aria2/aria2.conf"].first {
            access($0, R_OK) == 0
        }
    }
}
