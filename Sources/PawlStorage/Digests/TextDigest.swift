package import PawlCore

/// The digest of a short text.
package enum TextDigest {
    /// Its SHA-256.
    package static func sha256(_ text: String) throws(DownloadError) -> ContentDigest {
        let context = try DigestContext(.sha256)
        // Typed errors do not pass through a closure of the standard library.
        let result = Array(text.utf8).withUnsafeBytes { bytes -> Result<Void, DownloadError> in
            Result { () throws(DownloadError) in try context.update(bytes) }
        }
        try result.get()
        return try context.finalize()
    }
}
