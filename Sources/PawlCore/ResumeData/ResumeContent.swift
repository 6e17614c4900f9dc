package import struct FoundationEssentials.URL

/// The content of resume data: a checkpoint, and what is needed to request the rest.
package struct ResumeContent: Hashable, Sendable {
    /// The requested URL, without user and fragment.
    package var url: URL
    package var method = "GET"
    /// The request's own fields; none of them is secret.
    package var fields: [HTTPField] = []
    /// The names of the fields that were left out because they are secret.
    package var omittedFields: [String] = []
    package var representation = Representation()
    /// The digest that the file must have.
    package var expectedDigest: ContentDigest?
    package var written: [Claim] = []
    package var durable: [Claim] = []
    /// The length of the beginning that another program claims to have; 0 for Pawl's own data,
    /// which have claims.
    package var importedBytes: Int64 = 0
    /// The identity of the boot in which the checkpoint was written; empty if it is not known.
    package var bootIdentity = ""
    /// The path as bytes, which need not be UTF-8.
    package var partialPath: [UInt8] = []
    package var finalPath: [UInt8] = []
    package var storageKey: String?
    /// The time in seconds since 1970; 0 if it is not known.
    package var createdAt: Int64 = 0

    package init(url: URL) { self.url = url }

    package var isImported: Bool { importedBytes > 0 }

    /// The ranges that are claimed to be present.
    package var claimed: RangeSet {
        guard !isImported else { return RangeSet(ByteRange(0, importedBytes)) }
        var claimed = RangeSet(written.lazy.map(\.range))
        claimed.formUnion(RangeSet(durable.lazy.map(\.range)))
        return claimed
    }

    /// Stores the fields that are not secret, and the names of the others.
    package mutating func setRequest(_ settings: DownloadSettings) {
        fields = settings.fields.filter { !SecretField.isSecret($0.name) }
        omittedFields = settings.fields.map(\.name).filter(SecretField.isSecret)
        if settings.credentials != nil, !omittedFields.contains("Authorization") {
            omittedFields.append("Authorization")
        }
        if case .digest(let digest) = settings.checksum { expectedDigest = digest }
    }
}
