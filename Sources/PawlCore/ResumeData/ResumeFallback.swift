/// What to do where resume data cannot be used, or turn out not to fit.
public enum ResumeFallback: String, Hashable, Sendable, CaseIterable, Codable {
    /// The download starts from zero, and says so in the log.
    case startAnew
    /// The download fails with `.notResumable`; what was left stays as it is.
    case fail
}
