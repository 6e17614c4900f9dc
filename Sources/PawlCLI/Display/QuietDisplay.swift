package import PawlCore

/// Shows no progress.
///
/// Prints the results unless it is silent.
package struct QuietDisplay: ProgressDisplay {
    private let console: Console
    private let isSilent: Bool

    package init(console: Console, isSilent: Bool) {
        self.console = console
        self.isSilent = isSilent
    }

    package mutating func show(_ run: RunSnapshot, at now: Moment) {}

    package mutating func ended(_ download: EndedDownload) {
        guard !isSilent, case .success(let file) = download.result else { return }
        console.message(ResultMessage.finished(file, download, style: console.traits.style))
    }

    package mutating func close() {}
}
