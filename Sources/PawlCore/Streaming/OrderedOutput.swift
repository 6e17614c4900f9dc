/// Takes the bytes of a download in order while they are received, such as standard output.
package struct OrderedOutput: Sendable {
    /// Writes bytes, and returns when the reader has taken them; it may block.
    ///
    /// While it waits, it calls `check` several times per second, and throws its error.
    package typealias Writer =
        @Sendable (
            _ bytes: UnsafeRawBufferPointer,
            _ check: () throws(DownloadError) -> Void
        ) throws(DownloadError) -> Void

    /// The path of the temporary file that holds the bytes received ahead of the reader, where
    /// files cannot be without a name.
    package let temporaryPath: String
    package let write: Writer

    /// Creates an output.
    package init(temporaryPath: String, write: @escaping Writer) {
        self.temporaryPath = temporaryPath
        self.write = write
    }
}
