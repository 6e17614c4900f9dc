package import PawlCore

extension Console {
    /// Says what went wrong and what to do.
    ///
    /// `subject`: which of several downloads it is about.
    package func report(_ error: DownloadError, of subject: String? = nil) {
        let start = subject.map { "\($0): " } ?? ""
        let text = traits.style.showable(start + error.description)
        guard traits.isTerminal, traits.style.hasColours else {
            message("pawl: \(text)")
            return
        }
        let tone: TerminalStyle.Tone = error.code == .interrupted ? .dim : .red
        message("\(traits.style.tint("pawl:", tone)) \(text)")
    }
}
