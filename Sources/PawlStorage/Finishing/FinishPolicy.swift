package import PawlCore
package import SystemPackage

/// The action if the finished file's name is taken.
package enum FinishPolicy: Sendable {
    /// Use the first free name of `numbered(1)`, `numbered(2)` …
    case rename(numbered: @Sendable (Int) -> FilePath)
    /// Keep an existing file and delete the new one; if something other than a file has the name,
    /// use the first free name of `numbered(1)`, `numbered(2)` …
    case keep(numbered: @Sendable (Int) -> FilePath)
    /// Replace the existing file in one step.
    case overwrite
    /// Replace the existing file in one step if it is still this one; otherwise use the first free
    /// name of `numbered(1)`, `numbered(2)` …
    case replace(FileStamp, numbered: @Sendable (Int) -> FilePath)
    /// Throw an error.
    case fail
}
