package import PawlCore

/// Reads the list of the objects below a folder of a bucket, and gives each a local path.
package struct BucketReader: Sendable {
    /// An object of the bucket.
    package struct Object: Hashable, Sendable {
        /// Its `s3:` URL, without credentials.
        package let address: String
        /// Its path below the local folder.
        package let path: String
        /// Its entity tag, size and time, which change with it.
        package let facts: String
    }

    private var listing: S3Listing
    private let request: DownloadRequest
    /// The paths that are taken, even by the objects of other folders.
    package private(set) var names: TreeNames

    /// - Parameters:
    ///   - request: A request for the list, whose URL is that of the folder.
    ///   - names: The paths that are taken already.
    package init(
        _ listing: S3Listing,
        _ request: DownloadRequest,
        names: TreeNames = TreeNames()
    ) {
        (self.listing, self.request, self.names) = (listing, request, names)
    }

    /// Requests the next page, and returns its objects; `nil` after the last page.
    package mutating func nextPage(
        in session: DownloadSession
    ) async throws(DownloadError) -> [Object]? {
        guard let page = try listing.nextPage() else { return nil }
        var request = request
        request.url = page
        var objects: [Object] = []
        for entry in try listing.read(try await session.data(for: request).bytes) {
            guard let path = names.path(of: listing.names(in: entry.key)) else {
                let name = String(decoding: entry.key, as: UTF8.self).sanitized(atMost: 200)
                throw DownloadError(
                    .badResponse,
                    "no file name is possible for the object \(name) of \(self.request.url.redacted)",
                    advice: "choose a smaller folder of the bucket"
                )
            }
            objects.append(
                Object(address: listing.address(of: entry.key), path: path, facts: entry.facts)
            )
        }
        return objects
    }
}
