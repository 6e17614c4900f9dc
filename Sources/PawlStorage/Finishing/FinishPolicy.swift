package import PawlCore
package import SystemPackage

/// What to do where the finished file's name is taken.
package enum FinishPolicy: Sendable {
    /// The first free one of `numbered(1)`, `numbered(2)` …
    case rename(numbered: @Sendable (Int) -> FilePath)
    /// The new file takes the name, in one step.
    case overwrite
    /// The new file takes the name in one step where this is still what has it; else the first free one
    /// of `numbered(1)`, `numbered(2)` …
    case replace(FileStamp, numbered: @Sendable (Int) -> FilePath)
    /// An error.
    case fail
}
