package import struct FoundationEssentials.URL

/// The URL of an object that a download is saved to, such as `s3://bucket/folder/name`.
///
/// It names a folder if its path ends in a slash.
package enum ObjectAddress {
    /// The maximum number of bytes of a key, after decoding.
    package static let mostKeyBytes = 1024

    /// Whether a destination is meant to be the URL of an object, and not a path.
    package static func isOne(_ text: String) -> Bool {
        let parts = AddressParts(text)
        return parts.host != nil && URLScheme(of: parts.scheme) == .s3
    }

    /// Whether a destination is relative to no folder: an absolute path, or the URL of an object.
    package static func isComplete(_ destination: String) -> Bool {
        destination.isAbsolutePath || isOne(destination)
    }

    /// Whether an object is below a folder of a bucket, by their URLs.
    package static func lies(_ object: String, in folder: String) -> Bool {
        // What is not valid is in no folder.
        guard let object = try? parse(object), let folder = try? parse(folder.asFolderPath) else {
            return false
        }
        return object.absoluteString.utf8.starts(with: folder.absoluteString.utf8)
    }

    /// Whether a text can be the name of a bucket.
    package static func isBucket(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(\.isBucketByte)
            && name.utf8.first != UInt8(ascii: ".") && !name.contains("..")
    }

    /// Checks the URL of an object or of a folder in a bucket, and returns it in the form in which
    /// it is stored and shown.
    ///
    /// - Throws: `.usage`; the error does not contain a user or a query.
    package static func parse(_ text: String) throws(DownloadError) -> URL {
        let parts = AddressParts(text)
        guard URLScheme(of: parts.scheme) == .s3, let bucket = parts.host else {
            throw refusal(parts, "it is not an s3: URL", "write it as s3://bucket/key")
        }
        guard parts.userInfo == nil else {
            throw refusal(
                parts,
                "it contains credentials",
                "give those of the bucket in the environment or with a profile"
            )
        }
        guard !text.holdsUnsafeToShow else {
            throw refusal(parts, "it contains control characters", "encode them as %XX")
        }
        guard isBucket(bucket), parts.port == nil else {
            throw refusal(
                parts,
                "its bucket is not valid",
                "write it as s3://bucket/key, and name the server with \(.s3Endpoint)"
            )
        }
        guard parts.query == nil, parts.fragment == nil else {
            throw refusal(parts, "it has a '?' or a '#'", "encode them in a key as %3F and %23")
        }
        let key = Array(parts.path.percentDecodedBytes.dropFirst())
        try check(key, parts)
        guard let url = URL(string: "s3://\(bucket)/\(key.percentEncoded(except: "/"))") else {
            throw refusal(parts, "it is not a URL")
        }
        return url
    }

    private static func check(
        _ key: [UInt8],
        _ parts: AddressParts
    ) throws(DownloadError) {
        var names = key.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        // The last name of a folder is empty.
        if names.last?.isEmpty == true { names.removeLast() }
        // Servers and proxies resolve them; the signature would then be that of another key.
        guard
            !names.contains(where: {
                $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
            })
        else {
            throw refusal(parts, "its key has an empty name, '.' or '..'", "use another key")
        }
        guard key.count <= mostKeyBytes else {
            throw refusal(
                parts,
                "its key has \(key.count) bytes, more than \(mostKeyBytes)",
                "use a shorter key"
            )
        }
    }

    private static func refusal(
        _ parts: AddressParts,
        _ reason: String,
        _ advice: Advice = "write it as s3://bucket/key"
    ) -> DownloadError {
        var shown = parts
        shown.query = nil
        return .usage("'\(shown.redacted)' names no object: \(reason)", advice: advice)
    }
}

extension UInt8 {
    fileprivate var isBucketByte: Bool { isLetter || isDigit || "-._".utf8.contains(self) }
}
