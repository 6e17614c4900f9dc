public import struct FoundationEssentials.URL

/// The settings for sources whose URLs begin with `s3:`.
public struct S3Settings: Hashable, Sendable {
    /// The base URL of the storage service, such as `https://minio.example:9000`.
    ///
    /// With `nil`, the default, it is the one in the environment or in the file `~/.aws/config`, and
    /// otherwise AWS. A bucket is then the first part of the path, not of the host's name.
    public var endpoint: URL?
    /// The region of the bucket.
    ///
    /// With `nil`, the default, it is the one in the environment or in the file `~/.aws/config`, and
    /// otherwise the one that AWS reports.
    public var region: String?
    /// The profile in the files `~/.aws/config` and `~/.aws/credentials` that contains the
    /// credentials.
    ///
    /// With `nil`, the default, Pawl looks for credentials in the environment, in the profile that
    /// the environment names or the profile `default`, and in the machine's credential service. The
    /// name and password of the settings or of a URL come first.
    public var profile: String?
    /// Whether requests are left unsigned, as for a public bucket.
    ///
    /// The default is `false`: they are not signed only if there are no credentials.
    public var isAnonymous = false

    /// Creates the default settings.
    public init() {}
}
