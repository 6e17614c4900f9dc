package import PawlCore
package import struct FoundationEssentials.URL

/// The object of a storage service that a download becomes, and who writes it.
package struct ObjectDestination: Sendable {
    /// The object's `s3:` URL, or that of a folder with a slash at its end.
    package let url: URL
    /// The settings of the connections to the service: its endpoint and region, the proxy, and so on.
    package var connection: ConnectionSettings
    /// The key and its secret; `nil` takes those that `S3Account` finds, if the settings allow it.
    package var credentials: Credentials?
    /// What to do if there is an object.
    package var ifExists = ExistingFilePolicy.rename
    /// Whether the upload of an earlier run is continued, and not aborted.
    package var resumes = true
    /// The download in the marks of its objects.
    package var owner: ObjectOwner
    /// Where the upload is recorded.
    package var ledger: any PartLedger
    /// The memory for parts.
    package var memory = PartMemory.ofProcess

    /// Throws `.usage` if the URL does not name an object.
    package init(
        _ url: URL,
        connection: ConnectionSettings,
        credentials: Credentials?,
        owner: ObjectOwner,
        ledger: any PartLedger
    ) throws(DownloadError) {
        (self.url, self.connection, self.credentials) = (url, connection, credentials)
        (self.owner, self.ledger) = (owner, ledger)
        guard isFolder || ObjectTarget(template(url)) != nil else {
            throw DownloadError(
                .usage,
                "\(url.redacted) does not name an object",
                advice: "the URL of an object is s3://BUCKET/KEY"
            )
        }
    }

    /// Whether it is a folder of a bucket, in which the response names the object.
    var isFolder: Bool { url.absoluteString.isFolderPath }

    /// Returns a request for an object of the service, from which all others are made.
    func template(_ url: URL) -> TransferRequest {
        var request = TransferRequest(url: url)
        (request.connection, request.credentials) = (connection, credentials)
        return request
    }
}

/// The download whose objects have a mark: that of a queue, or of a run without one.
package struct ObjectOwner: Hashable, Sendable {
    /// The identity of the queue, or of the download if no queue has it; without a colon.
    package let queue: String
    /// The number of the download in the queue; 0 without one.
    package let download: Int64

    package init(queue: String, download: Int64 = 0) {
        (self.queue, self.download) = (queue, download)
    }
}
