package import struct FoundationEssentials.URL

/// What resume data hold: a checkpoint, and what is needed to ask for the rest.
package struct ResumeContent: Hashable, Sendable {
    /// As it was asked for, without user and fragment.
    package var url: URL
    package var method = "GET"
    /// The request's own fields, none of them secret.
    package var fields: [HTTPField] = []
    /// The names of those that were left out, as they are secret.
    package var omittedFields: [String] = []
    package var representation = Representation()
    /// The digest that the caller wants the file to have.
    package var expectedDigest: ContentDigest?
    package var written: [Claim] = []
    package var durable: [Claim] = []
    /// How long the beginning is that another program says to have; 0 for Pawl's own, which has
    /// claims.
    package var importedBytes: Int64 = 0
    /// The boot that wrote it; empty where it is not known.
    package var bootIdentity = ""
    /// Paths are bytes: they need not be UTF-8.
    package var partialPath: [UInt8] = []
    package var finalPath: [UInt8] = []
    package var storageKey: String?
    /// In seconds since 1970; 0 where it is not known.
    package var createdAt: Int64 = 0

    package init(url: URL) { self.url = url }

    package var isImported: Bool { importedBytes > 0 }

    /// What is claimed to be there.
    package var claimed: RangeSet {
        guard !isImported else { return RangeSet(ByteRange(0, importedBytes)) }
        var claimed = RangeSet(written.lazy.map(\.range))
        claimed.formUnion(RangeSet(durable.lazy.map(\.range)))
        return claimed
    }

    /// Takes over the fields that are no secret, and the names of the others.
    package mutating func setRequest(_ settings: DownloadSettings) {
        fields = settings.fields.filter { !SecretField.isSecret($0.name) }
        omittedFields = settings.fields.map(\.name).filter(SecretField.isSecret)
        if settings.credentials != nil, !omittedFields.contains("Authorization") {
            omittedFields.append("Authorization")
        }
        if case .digest(let digest) = settings.checksum { expectedDigest = digest }
    }
}
