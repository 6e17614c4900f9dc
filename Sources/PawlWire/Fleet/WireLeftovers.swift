package import PawlCore

/// An upload of the queue that no running or waiting download continues.
package struct WireLeftover: Codable, Sendable, Hashable {
    /// The ID of the download that has begun it.
    package var download: Int64
    /// The state of the download; `nil` if it was removed.
    package var state: TaskState?
    /// The `s3:` URL of the object that it would become.
    package var object: String
    /// The identifier of the upload at the service.
    package var upload: String
    /// The number of the parts that the service has acknowledged, and their bytes.
    package var parts: Int
    package var bytes: Int64
    /// The time since something was last added to it.
    package var ageSeconds: Double
    /// The time after which the daemon aborts it; 0 if it does so with its next check.
    package var abortedInSeconds: Double

    package init(download: Int64, object: String, upload: String) {
        (self.download, self.object, self.upload) = (download, object, upload)
        (parts, bytes, ageSeconds, abortedInSeconds) = (0, 0, 0, 0)
    }
}

/// A page of the uploads of the queue that nothing continues, by the IDs of their downloads.
package struct WireLeftovers: Codable, Sendable, Hashable {
    package var uploads: [WireLeftover]
    /// The value of `after` for the next page; `nil` on the last page.
    package var next: Int64?

    package init(_ uploads: [WireLeftover], next: Int64? = nil) {
        (self.uploads, self.next) = (uploads, next)
    }
}

/// An upload in a bucket that belongs to no download of the queue.
package struct WireForeignUpload: Codable, Sendable, Hashable {
    /// The `s3:` URL of the object that it would become.
    package var object: String
    /// The identifier of the upload at the service.
    package var upload: String
    /// When it was begun, as the service writes it; `nil` if the service does not know it.
    package var begun: String?

    package init(object: String, upload: String, begun: String?) {
        (self.object, self.upload, self.begun) = (object, upload, begun)
    }
}

/// The foreign uploads of a bucket, or of a folder of it.
package struct WireBucketUploads: Codable, Sendable, Hashable {
    /// The `s3:` URL of the bucket or the folder.
    package var bucket: String
    package var uploads: [WireForeignUpload]
    /// Whether the bucket has more uploads than were read.
    package var hasMore: Bool
    /// Why the uploads could not be read; `nil` if they could.
    package var problem: Problem?

    package init(_ bucket: String, uploads: [WireForeignUpload] = [], hasMore: Bool = false) {
        (self.bucket, self.uploads, self.hasMore) = (bucket, uploads, hasMore)
    }
}

/// The foreign uploads of all buckets that were asked for.
package struct WireForeignUploads: Codable, Sendable, Hashable {
    package var buckets: [WireBucketUploads]

    package init(_ buckets: [WireBucketUploads]) { self.buckets = buckets }
}
