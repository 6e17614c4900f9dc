/// The action if resume data cannot be used, or turns out not to match the file.
public enum ResumeFallback: String, Hashable, Sendable, CaseIterable, Codable {
    /// The download starts from the beginning, and logs this.
    case startOver
    /// The download fails with `.notResumable`; the existing files stay as they are.
    case fail
}
