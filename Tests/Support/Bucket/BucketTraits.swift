/// How a scripted bucket differs from Amazon's S3, as other services do.
package struct BucketTraits: Sendable {
    /// What a service does with a demand that it does not know.
    package enum Support: Hashable, Sendable {
        case supported
        /// It answers 501 `NotImplemented`.
        case refused
        /// It acts as if the demand were not there.
        case ignored
    }

    /// What a service answers if an upload that is complete is completed again with the same list.
    package enum RepeatedCompletion: Hashable, Sendable {
        /// The same as the first time.
        case sameAnswer
        /// 404 `NoSuchUpload`.
        case noSuchUpload
        /// 412 `PreconditionFailed` for a conditional request, otherwise the same as the first time.
        case checksCondition
    }

    /// Whether `If-Match` and `If-None-Match` are supported in requests that write.
    package var conditions = Support.supported
    /// Whether the fields `x-amz-checksum-…` are supported.
    package var checksums = Support.supported
    /// Whether bodies with a trailer are supported; they cannot be ignored.
    package var acceptsTrailers = true
    package var repeatedCompletion = RepeatedCompletion.sameAnswer
    /// The minimum size of a part that is not the last.
    package var minimumPartBytes = 5 << 20
    /// Whether all parts but the last must have the same size, as at Cloudflare's R2.
    package var demandsEqualParts = false
    /// Whether ListParts returns the checksums of parts.
    package var listsChecksums = true

    package init() {}
}
