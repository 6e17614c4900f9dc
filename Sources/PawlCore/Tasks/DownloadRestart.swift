/// A new start of a download that has discarded all bytes received so far.
public struct DownloadRestart: Sendable, Hashable, Codable {
    /// Why a download starts over.
    public enum Reason: String, Sendable, Hashable, Codable {
        /// The server has another version of the file: its length or a validator differs.
        case fileChanged
        /// The server's bytes differ from those received before.
        case bytesDiffer
        /// The complete file has a wrong digest or a wrong size.
        case digestDiffers
        /// Nothing proves that the server's file is unchanged.
        case unproven
        /// No remaining source is proven to have the same file.
        case noSourceLeft
    }

    /// The number of discarded bytes, including those that an earlier process had received.
    public var discardedBytes: Int64
    /// Why the download starts over.
    public var reason: Reason

    package init(discardedBytes: Int64, _ reason: Reason) {
        (self.discardedBytes, self.reason) = (discardedBytes, reason)
    }
}
