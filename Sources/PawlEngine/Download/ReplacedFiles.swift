internal import PawlCore
internal import Synchronization
internal import SystemPackage
internal import struct FoundationEssentials.URL

/// Notices that a download has replaced the file that another one has just become.
///
/// Two URLs can have the same file name. With the policy `overwrite`, the download that ends last
/// replaces the file of the other one, as requested, but this is worth a warning.
final class ReplacedFiles: Sendable {
    private static let mostNames = 20_000

    /// The URLs of the files that replaced others, or could be replaced, by their paths.
    private let urls = Mutex<[FilePath: URL]>([:])

    /// Records that a download of `url` has become the file at `path`.
    ///
    /// Returns a note if this file has replaced that of another URL.
    func note(_ path: FilePath, of url: URL) -> String? {
        let previous = urls.withLock { urls in
            if urls.count >= Self.mostNames { urls = [:] }
            return urls.updateValue(url, forKey: path)
        }
        guard let previous, previous != url else {
            return nil
        }
        return "\(path) has replaced the file that was downloaded from \(previous.redacted)"
    }
}
