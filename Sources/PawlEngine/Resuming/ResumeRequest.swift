package import PawlCore

/// The data that a download resumes from.
package struct ResumeRequest: Sendable {
    package var data: ResumeData
    /// The current path of the partial file; `nil` if it was not moved.
    package var partialPath: String?
    package var fallback: ResumeFallback

    package init(
        _ data: ResumeData,
        partialPath: String? = nil,
        fallback: ResumeFallback = .startOver
    ) {
        self.data = data
        self.partialPath = partialPath
        self.fallback = fallback
    }
}
