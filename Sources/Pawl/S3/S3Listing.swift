package import PawlCore
package import struct FoundationEssentials.URL

/// The list of the objects of a bucket whose keys begin with a prefix, page by page.
package struct S3Listing: Sendable {
    private let bucket: S3Object
    /// The beginning of the keys.
    package let prefix: [UInt8]
    private var continuation: String?
    private var pages = 0
    private var isComplete = false
    private var tokens: Set<String> = []
    /// The number of pages without a key since the last one with keys.
    private var emptyPages = 0

    /// The maximum number of pages: they have up to 1,000 keys each.
    private static let mostPages = 10_000
    /// The maximum number of pages without a key: some services send a few.
    private static let mostEmptyPages = 100

    /// Creates the list of the objects below an `s3:` URL that ends in a slash; `nil` if it is
    /// another URL.
    package init?(below url: URL) {
        guard var object = S3Object(url), object.version == nil,
            object.key.isEmpty || object.key.last == UInt8(ascii: "/")
        else { return nil }
        prefix = object.key
        object.key = []
        bucket = object
    }

    /// Returns the URL of the next page; `nil` after the last one.
    package func nextPage() throws(DownloadError) -> URL? {
        guard !isComplete else { return nil }
        guard pages < Self.mostPages else {
            throw DownloadError(
                .tooLarge,
                "the list of the objects has more than \(Self.mostPages) pages",
                advice: "give a longer prefix"
            )
        }
        var query = ["list-type=2", "encoding-type=url", "prefix=" + prefix.percentEncoded()]
        if let continuation {
            query.append("continuation-token=" + continuation.utf8.percentEncoded())
        }
        return URL(string: "s3://\(bucket.bucket)/?" + query.joined(separator: "&"))
    }

    /// An object as the list describes it.
    package struct Entry: Hashable, Sendable {
        package let key: [UInt8]
        /// Its entity tag, size and time, which change with it.
        package let facts: String
    }

    /// Reads a page, and returns its objects.
    ///
    /// Keys that end in a slash are those of folders, which services create for their web pages.
    package mutating func read(_ page: [UInt8]) throws(DownloadError) -> [Entry] {
        let reader = XMLReader("the list of the objects", failure: .badResponse)
        var content = Page()
        let take = { (event: XMLEvent) throws(DownloadError) in content.take(event) }
        try reader.read(page, take)
        try reader.finish(take)
        guard content.isList else {
            let said = content.error.map { ": \($0.sanitized(atMost: 60))" } ?? ""
            throw DownloadError(.badResponse, "the server sent no list of objects\(said)")
        }
        pages += 1
        isComplete = !content.isTruncated
        if !isComplete { try continueWith(content.continuation) }
        continuation = content.continuation
        emptyPages = content.entries.isEmpty ? emptyPages + 1 : 0
        guard emptyPages <= Self.mostEmptyPages else {
            throw DownloadError(
                .badResponse,
                "more than \(Self.mostEmptyPages) pages of the server's list of objects are empty"
            )
        }
        return content.entries.filter { entry in
            entry.key.starts(with: prefix) && entry.key.last != UInt8(ascii: "/")
                && entry.key.count > prefix.count
        }
    }

    /// Records the token for the next page.
    private mutating func continueWith(_ token: String?) throws(DownloadError) {
        guard let token else {
            throw DownloadError(
                .badResponse,
                "the server's list of objects ends without the token for its next page"
            )
        }
        guard tokens.insert(token).inserted else {
            throw DownloadError(
                .badResponse,
                "the server's list of objects repeats the token of a page, and so has no end"
            )
        }
    }

    /// What a page contains.
    private struct Page {
        private var texts: [(key: String, facts: String)] = []
        private var (key, facts) = ("", [String]())
        private var isEncoded = false
        var isList = false
        var isTruncated = false
        var continuation: String?
        /// The code of an error that was sent in place of a list.
        var error: String?

        mutating func take(_ event: XMLEvent) {
            switch event {
            case .start(let element):
                if element.name.local == "ListBucketResult" { isList = true }
            case .end(let name, let text):
                switch name.local {
                case "Code": error = error ?? text
                case "Key": key = text
                case "ETag", "Size", "LastModified": facts.append(text)
                case "Contents":
                    texts.append((key, facts.joined(separator: " ")))
                    (key, facts) = ("", [])
                case "EncodingType": isEncoded = text == "url"
                case "IsTruncated": isTruncated = text == "true"
                case "NextContinuationToken": continuation = text
                default: break
                }
            }
        }

        /// The objects; in this encoding, a space may be a plus sign.
        var entries: [Entry] {
            texts.map { key, facts in
                let bytes =
                    isEncoded
                    ? key.replacingASCII("+", with: " ").percentDecodedBytes : Array(key.utf8)
                return Entry(key: bytes, facts: facts)
            }
        }
    }
}

extension S3Listing {
    /// The URL of an object of the bucket, as text.
    package func address(of key: [UInt8]) -> String {
        "s3://\(bucket.bucket)/\(key.percentEncoded(except: "/"))"
    }

    /// The names in a key below the prefix: folders and a file.
    package func names(in key: [UInt8]) -> [String] {
        key.dropFirst(prefix.count).split(separator: UInt8(ascii: "/")).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
