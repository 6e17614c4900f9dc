public import struct FoundationEssentials.URL

/// The settings of one download.
///
/// The defaults suit a person at a terminal.
public struct DownloadSettings: Hashable, Sendable, HTTPFieldEditing {
    /// The number of connections to use.
    ///
    /// The default is automatic: connections are added while the total speed increases.
    public var connections = ConnectionCount.automatic
    /// Other URLs of the same file, which are used together and replace sources that fail or are
    /// slow.
    ///
    /// There are none by default. A mirror takes part only if it is proven to have the same file:
    /// the length must be equal, and so must a strong entity tag, an old enough date or a digest.
    /// With a `checksum`, which proves the whole file, an equal length is enough. A name and
    /// password in such a URL are sent only to its own origin; `credentials` and most `fields` are
    /// not sent to it.
    public var mirrors: [URL] = []
    /// Whether to use the copies of the file that its server names (RFC 6249, Metalink/HTTP).
    ///
    /// The default is `true`. They are used only if the digest of the file is known, with which the
    /// complete file is compared.
    public var usesServerMirrors = true
    /// The maximum number of mirrors.
    ///
    /// More are of no use, and each costs a check at every decision.
    package static let mostMirrors = 64
    /// The HTTP method (RFC 9110 §9).
    ///
    /// The default, `nil`, is `GET`, or `POST` if there is a body. The response to any other method
    /// than `GET` is received over one connection and cannot be resumed, and the file gets a new
    /// name if its name is taken. A method that is not idempotent is sent only once in each run. Data
    /// tasks and streams ignore it.
    public var method: String?
    /// The body to send with the request.
    ///
    /// It is empty by default. Without a `Content-Type` in the fields, it is that of a form
    /// (`application/x-www-form-urlencoded`). A redirect with the status 307 or 308 also sends it
    /// to another server. Data tasks and streams ignore it.
    public var body: [UInt8] = []
    /// The part of the server's file that is downloaded, as a file of its own.
    ///
    /// The default, `nil`, is the whole file. A `checksum` is the checksum of the part. Resume data
    /// does not contain the range. Data tasks and streams ignore it.
    public var range: FileRange?
    /// Whether the server may compress the file, which is then decompressed as it arrives.
    ///
    /// The default is `false`. A compressed response is received over one connection and cannot be
    /// resumed. Data tasks and streams ignore it.
    public var decodesContent = false
    /// Fields to send with each request to the origin of the URL (scheme, host and port).
    ///
    /// Other origins, those of redirects and mirrors, receive only the fields that are marked with
    /// `isForAnyOrigin`, and HTTP's own fields that describe the client or the request (`Accept`,
    /// `Accept-Language`, `Content-Type`, `If-None-Match` and the like). `Authorization`, `Cookie`
    /// and other secrets are never sent to another origin.
    public var fields: [HTTPField] = []
    /// A name and password for the origin of the URL, never sent to another.
    ///
    /// There are none by default. ``ConnectionSettings/authentication`` chooses the scheme.
    public var credentials: Credentials?
    /// What happens when the download starts, finishes or fails; for the command and the daemon.
    package var hooks = DownloadHooks()
    /// The rules that move the finished file to another folder; for the command and the daemon.
    package var moveRules: [MoveRule] = []
    /// The settings of the connections.
    public var connection = ConnectionSettings()
    /// The digest that the file must have.
    ///
    /// The default is the digest that the server sends, if it sends one.
    public var checksum = ChecksumPolicy.fromServer
    /// The size that the file must have, in bytes.
    ///
    /// The default, `nil`, is the size that the first good response states. A source whose file has
    /// another size is not used. Data tasks and streams ignore it.
    public var expectedSize: Int64?
    /// The digests of the file's pieces.
    ///
    /// There are none by default. If the complete file does not have the digest of `checksum`, or
    /// if there is no such digest, they show which pieces are wrong; only these are fetched again,
    /// if possible from another source. Data tasks and streams ignore them.
    public var pieces: PieceDigests?
    /// The policy if another file has the name.
    public var ifExists = ExistingFilePolicy.rename
    /// The maximum number of failures in a row, without any byte received between them.
    ///
    /// The default is 10.
    public var retries = 10
    /// The time after which a connection that receives no byte is replaced.
    ///
    /// The default is 30 s.
    public var stallTimeout: Duration = .seconds(30)
    /// The minimum speed in bytes per second.
    ///
    /// A connection that is slower over the stall time is replaced.
    ///
    /// The default, 0, means no minimum.
    public var minimumBytesPerSecond: Int64 = 0
    /// The maximum speed of this download in bytes per second, in addition to the limit for all.
    ///
    /// The default, `nil`, means no limit. Data tasks and streams ignore it.
    public var limitBytesPerSecond: Int64?
    /// Whether the download waits if there is no route to the network, and resumes when there is
    /// one.
    ///
    /// The default is `false`: then a missing network is a failure like any other. Waiting does not
    /// count as a retry, but counts toward `maximumDuration`. It works only on Linux: other systems
    /// do not report the network.
    public var waitsForConnectivity = false
    /// Whether a metered network may be used, such as a phone's.
    ///
    /// The default is `true`. With `false`, the download waits before its first request, and ends
    /// its connections, while NetworkManager reports that the network is metered. If that is not
    /// known, the network counts as not metered.
    public var allowsExpensiveNetwork = true
    /// The maximum time for the whole download; `nil`, the default, means no limit.
    public var maximumDuration: Duration?
    /// Whether the files of an earlier run are used.
    ///
    /// The default is `true`; with `false` they are renamed and kept.
    public var resumes = true
    /// Whether a file may be resumed if the server sends its length but no validator that proves
    /// its version.
    ///
    /// The default is `true`: the length must be equal, and bytes where old and new ones meet, and
    /// in a few more places, are fetched again and compared. If one differs, the download starts
    /// from the beginning. A version that differs only elsewhere is not detected, unless `checksum`
    /// names a digest. With `false`, such a file is always fetched from its first byte, unless
    /// `checksum` names a digest.
    public var resumesWithoutValidator = true
    /// Whether a partial file of another tool (`NAME.part`, without a checkpoint) is resumed.
    ///
    /// The default is `false`: such a file is not changed, and another partial name is chosen. It
    /// needs a `checksum`, because nothing else can prove such bytes.
    public var adoptsPartialFile = false
    /// Whether the download uses what earlier downloads learned about a host, and keeps what it
    /// learns.
    ///
    /// The default is `true`, and `false` for the tasks of an ephemeral session. The values are the
    /// number of connections that was fastest, the speed with it, the number that the server
    /// allows, and the round trip. All of the user's programs share one file, `pawl/hosts` in the
    /// caches folder, which may be removed at any time. It lists up to 500 hosts of the last week,
    /// as salted digests instead of names.
    public var remembersHosts = true
    /// Whether the finished file gets the server's modification time (`Last-Modified`).
    ///
    /// The default is `false`: the file has the time at which it was written.
    public var keepsServerTime = false
    /// Whether the finished file gets extended attributes about its origin.
    ///
    /// The default is `false`. They are `user.xdg.origin.url`, `user.pawl.mirrors` and
    /// `user.xdg.referrer.url`, all without secrets, `user.mime_type`, and `user.dublincore.date`,
    /// the time of the download. On a file system without such attributes, nothing happens.
    public var recordsOrigin = false
    /// The maximum number of redirects in a row that are followed.
    ///
    /// The default is 20. With 0, none is followed. A redirect that is not followed is an error with
    /// the code `.redirectRefused` if this is 0, and otherwise `.tooManyRedirects`;
    /// ``DownloadError/errorResponse`` is the response. In a background session, it lacks the field
    /// `Location`.
    public var maximumRedirects = RedirectPolicy.usualMaximum
    /// Whether HTTPS may be redirected to HTTP.
    ///
    /// The default is `false`.
    public var allowsInsecureRedirects = false
    /// The maximum `Retry-After` for which the download waits.
    ///
    /// The default is 5 minutes.
    public var maximumRetryAfter: Duration = .seconds(300)

    /// Creates the default settings.
    public init() {}
}

/// The number of connections of a download.
public enum ConnectionCount: Hashable, Sendable {
    /// Connections are added while each increases the total speed by a twentieth, up to 16.
    case automatic
    /// A fixed number, if the server supports ranges.
    case fixed(Int)
}

/// The digest that a file must have before it gets its name.
public enum ChecksumPolicy: Hashable, Sendable {
    /// The digest that the server sends with the file, if any: in `Repr-Digest`, `Digest`,
    /// `Content-MD5`, `x-goog-hash` or `x-amz-checksum-…`.
    case fromServer
    /// The digest that the server sends; otherwise the digest in a Metalink that the response
    /// names, or in a checksum file beside the file, if any.
    ///
    /// The names of such files are those of the file with `.sha256`, `.sha512`, `.sha1` or `.md5`,
    /// and `SHA256SUMS` and the like. They are requested while the file is downloaded.
    case automatic
    /// No digest, whatever the server sends.
    case none
    /// The given digest.
    case digest(ContentDigest)

    /// Whether the user gave a digest.
    package var isGiven: Bool {
        if case .digest = self { true } else { false }
    }

    /// Whether a digest of the server counts.
    package var takesServers: Bool { self == .fromServer || self == .automatic }
}

/// The policy if another file has the name.
public enum ExistingFilePolicy: String, Hashable, Sendable, CaseIterable, Codable {
    /// The new file gets a number: `disk.1.iso`.
    ///
    /// It also gets one if another download has a partial file of the name, or if a folder has the
    /// name and the name is not your own choice.
    case rename
    /// The new file replaces the old one when it is complete and verified.
    ///
    /// The partial file of another download stays as it is.
    case overwrite
    /// The old file is kept, and the download succeeds.
    ///
    /// Another download's partial file does not count as a file, so both downloads run. The one that
    /// ends last keeps the file of the other one and deletes its own.
    case skip
    /// The download fails, even if the file is the complete file of an earlier download, or only
    /// another download's partial file has the name.
    case fail
}
