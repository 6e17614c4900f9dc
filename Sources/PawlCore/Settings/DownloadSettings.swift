public import struct FoundationEssentials.URL

/// How one download is to be done.
///
/// The defaults suit a person at a terminal.
public struct DownloadSettings: Sendable {
    /// How many connections to use.
    ///
    /// Automatic by default: more are added while they pay.
    public var connections = ConnectionCount.automatic
    /// Other URLs of the same file: fetched from at the same time, and when one fails or is slow.
    ///
    /// None by default. One takes part where it is proven to have the same file: the length is the
    /// same, and so is a strong entity tag, an old enough date or a digest, unless a `checksum` was
    /// given, which proves the whole. A name and password in such a URL are for its own origin;
    /// `credentials` and most `fields` are not sent to it.
    public var mirrors: [URL] = []
    /// More mirrors are of no use, and each costs a look at every decision.
    package static let mostMirrors = 64
    /// Fields to send with each request to the origin that was named: scheme, host and port.
    ///
    /// Other origins, to which a redirect leads or which are mirrors, get those that are marked with
    /// `isForAnyOrigin`, and those of HTTP that describe the client or what is asked for (`Accept`,
    /// `Accept-Language`, `Content-Type`, `If-None-Match` and the like). `Authorization`, `Cookie` and
    /// other secrets never go to another origin.
    public var fields: [HTTPField] = []
    /// A name and password for the origin that was named; never sent to another.
    public var credentials: Credentials?
    /// How to connect.
    public var connection = ConnectionSettings()
    /// Which digest the file must have.
    ///
    /// By default the one the server gives, if it gives one.
    public var checksum = ChecksumPolicy.automatic
    /// What to do where the file is there already and is another one.
    public var ifExists = ExistingFilePolicy.rename
    /// How many failures in a row, without a byte between them, are borne.
    ///
    /// 10 by default.
    public var retries = 10
    /// A connection that brings no byte for so long is replaced.
    ///
    /// 30 s by default.
    public var stallTimeout: Duration = .seconds(30)
    /// A connection slower than this over the stall time is replaced, in bytes a second.
    ///
    /// 0, the default, is no minimum.
    public var minimumBytesPerSecond: Int64 = 0
    /// The most that this download may bring, in bytes a second, beside the limit of all together.
    ///
    /// Nil, the default, is no limit. Data tasks and streams take no notice.
    public var limitBytesPerSecond: Int64?
    /// Whether the download waits where there is no route to the network, and goes on by itself when
    /// there is one.
    ///
    /// Off by default: then a missing network is a failure like any other. Waiting uses up no
    /// retries; `maximumDuration` goes on counting. On Linux only: elsewhere nobody tells.
    public var waitsForConnectivity = false
    /// Whether a metered network may be used, one that is paid by the byte, such as a phone's.
    ///
    /// On by default. Off, the download waits before its first request, and ends its connections,
    /// for as long as NetworkManager calls the network metered. Where nobody can tell, it is not.
    public var allowsExpensiveNetwork = true
    /// The longest that the whole download may take; nil, the default, is no limit.
    public var maximumDuration: Duration?
    /// Whether what an earlier run left is used.
    ///
    /// On by default; off, it is set aside.
    public var resumes = true
    /// Whether a file may be resumed if the server sends its length but no validator that proves its
    /// version.
    ///
    /// On by default: the length must be the same, and where old bytes meet new ones, and in a few
    /// places more, they are fetched again and compared; if one differs, the download starts from
    /// zero. A version that differs only elsewhere is not noticed, unless `checksum` names a digest.
    /// Off, such a file is always fetched from its first byte, unless `checksum` names a digest.
    public var resumesWithoutValidator = true
    /// Whether a partial file that another tool left under the name (`NAME.part`, without a
    /// checkpoint) is gone on with.
    ///
    /// Off by default: such a file is left alone, and another partial name is chosen. It needs a
    /// `checksum`, as nothing else can prove such bytes.
    public var adoptsPartialFile = false
    /// Whether HTTPS may be redirected to HTTP.
    ///
    /// Off by default.
    public var allowsInsecureRedirects = false
    /// The longest `Retry-After` that is waited for.
    ///
    /// 5 minutes by default.
    public var maximumRetryAfter: Duration = .seconds(300)

    /// Makes the defaults.
    public init() {}
}

/// How many connections a download uses.
public enum ConnectionCount: Hashable, Sendable {
    /// Added while total speed rises by a twentieth each time, up to 16.
    case automatic
    /// So many, where the server serves ranges.
    case fixed(Int)
}

/// Which digest a file must have before it gets its name.
public enum ChecksumPolicy: Hashable, Sendable {
    /// What the server says in `Repr-Digest`, `Digest` or `Content-MD5`, if anything.
    case automatic
    /// None, whatever the server says.
    case none
    /// This one.
    case digest(ContentDigest)

    /// Whether the user named a digest.
    package var isGiven: Bool {
        if case .digest = self { true } else { false }
    }
}

/// What to do where the file is there already and is another one.
public enum ExistingFilePolicy: String, Hashable, Sendable, CaseIterable, Codable {
    /// The new file gets a number: `disk.1.iso`.
    ///
    /// It also does if another download has a partial file of the name.
    case rename
    /// The new file replaces it once it is complete and verified.
    ///
    /// The partial file of another download stays as it is.
    case overwrite
    /// Leave the old one and report success.
    ///
    /// Another download's partial file does not count as a file: the new file then gets a number.
    case skip
    /// An error, also if another download has a partial file of the name.
    case fail
}
