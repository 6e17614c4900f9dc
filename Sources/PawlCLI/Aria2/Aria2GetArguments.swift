package import PawlCore
internal import PawlWire

/// The arguments of `pawl get` that do what a command line of aria2 asks for (pure).
package enum Aria2GetArguments {
    /// The settings that are options without a value.
    private static let switches: Set = ["insecure", "compressed", "remote-time"]

    private static let others = [
        ("dir", "--directory"), ("out", "--output"), ("input-file", "--input-file"),
        ("max-concurrent-downloads", "--jobs"), ("max-overall-download-limit", "--total-limit"),
    ]

    /// Throws `.usage` for an invalid value.
    package static func make(_ aria2: Aria2Arguments) throws(DownloadError) -> [String] {
        var arguments = ["get"]
        for (name, option) in others {
            if let value = aria2[name] { arguments.append("\(option)=\(value)") }
        }
        if aria2.isOn("quiet") { arguments.append("--quiet") }
        arguments += try settings(aria2)
        let downloads = aria2.downloads
        // The other URIs of a file are its mirrors.
        if downloads.count == 1 {
            arguments += downloads[0].dropFirst().map { "--mirror=\($0)" }
        }
        let metalink = aria2["metalink-file"].map { [$0] } ?? []
        return arguments + ["--"] + downloads.compactMap(\.first) + metalink
    }

    private static func settings(_ aria2: Aria2Arguments) throws(DownloadError) -> [String] {
        var arguments: [String] = []
        for given in aria2.options {
            guard let option = Aria2Option.byName[given.name], option.setting != "connections",
                given.name == "header" || given.value == aria2[given.name],
                let text = option.text(given.value)
            else { continue }
            guard !text.isEmpty else { throw invalid(given.name, given.value) }
            if !switches.contains(option.setting) {
                arguments.append("--\(option.setting)=\(text)")
            } else if text == "true" {
                arguments.append("--\(option.setting)")
            }
        }
        return arguments + (try connections(aria2)) + existingFiles(aria2) + credentials(aria2)
    }

    /// A server gets the smaller number of connections, as in aria2.
    private static func connections(_ aria2: Aria2Arguments) throws(DownloadError) -> [String] {
        var fewest: Int?
        for name in ["split", "max-connection-per-server"] {
            guard let value = aria2[name] else { continue }
            guard let number = Int(value), number > 0 else { throw invalid(name, value) }
            fewest = min(fewest ?? 64, number)
        }
        return fewest.map { ["--connections=\(min($0, 64))"] } ?? []
    }

    private static func existingFiles(_ aria2: Aria2Arguments) -> [String] {
        if aria2.isOn("allow-overwrite") { return ["--if-exists=overwrite"] }
        return aria2["auto-file-renaming"] == "false" ? ["--if-exists=fail"] : []
    }

    private static func credentials(_ aria2: Aria2Arguments) -> [String] {
        for kind in ["http", "ftp"] {
            guard let name = aria2["\(kind)-user"], !name.isEmpty else { continue }
            return ["--user=\(name):\(aria2["\(kind)-passwd"] ?? "")"]
        }
        return []
    }

    private static func invalid(_ name: String, _ value: String) -> DownloadError {
        .usage(
            "--\(name): invalid value '\(value.sanitized(atMost: 40))'",
            advice: "see docs/aria2.md for the options of aria2"
        )
    }
}
