package import SystemPackage

/// What to do where the finished file's name is taken.
package enum FinishPolicy: Sendable {
    /// The first free one of `numbered(1)`, `numbered(2)` …
    case rename(numbered: @Sendable (Int) -> FilePath)
    /// The new file takes the name, in one step.
    case overwrite
    /// An error.
    case fail
}
