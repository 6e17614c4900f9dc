internal import ArgumentParser
internal import Pawl
internal import PawlCore

/// The option that chooses browsers.
struct BrowserOptions: ParsableArguments {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Only this browser: chromium, chrome, brave, edge or firefox. May be given several "
                + "times. Default: every browser that you have used.",
            valueName: "browser"
        )
    )
    var browser: [String] = []

    /// Returns the folders of the chosen browsers, otherwise of those for which `isUsual` is true.
    func folders(
        otherwise isUsual: (NativeHostFolder) -> Bool
    ) throws(DownloadError) -> [NativeHostFolder] {
        let all = try NativeHostFolder.all()
        guard !browser.isEmpty else { return all.filter(isUsual) }
        return try browser.map { (text) throws(DownloadError) in
            let folder = all.first { $0.browser.rawValue == text.lowercased() }
            guard let folder else {
                throw .usage(
                    "unknown browser '\(text.sanitized(atMost: 40))'",
                    advice: "use \(all.map(\.browser.rawValue).alternatives)"
                )
            }
            return folder
        }
    }
}
