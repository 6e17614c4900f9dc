package import PawlCore

/// What a download is to go on with.
package struct ResumeOrder: Sendable {
    package var data: ResumeData
    /// Where the partial file is now; nil where it was.
    package var partialPath: String?
    package var fallback: ResumeFallback

    package init(
        _ data: ResumeData,
        partialPath: String? = nil,
        fallback: ResumeFallback = .startAnew
    ) {
        self.data = data
        self.partialPath = partialPath
        self.fallback = fallback
    }
}
