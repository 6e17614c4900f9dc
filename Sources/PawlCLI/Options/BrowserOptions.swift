internal import ArgumentParser
internal import PawlCore

/// The option that chooses browsers.
struct BrowserOptions: ParsableArguments {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Only this browser: chromium, chrome, brave, edge or firefox. May be given several "
                + "times. Default: all that you have used.",
            valueName: "browser"
        )
    )
    var browser: [String] = []

    /// The chosen browsers; empty if none was named.
    func browsers() throws(DownloadError) -> [Browser] {
        try browser.map { (text) throws(DownloadError) in try Browser(typed: text) }
    }
}
