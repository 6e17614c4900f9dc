package import PawlCore

extension Console {
    /// Says what went wrong and what to do.
    package func report(_ error: DownloadError) {
        let text = traits.style.showable(error.description)
        guard traits.isTerminal, traits.style.hasColours else {
            message("pawl: \(text)")
            return
        }
        let tone: TerminalStyle.Tone = error.code == .interrupted ? .dim : .red
        message("\(traits.style.tint("pawl:", tone)) \(text)")
    }
}
