package import PawlCore

/// The valid bytes of a partial file, their representation, and their source.
package struct Checkpoint: Hashable, Sendable {
    /// The number of the checkpoint.
    ///
    /// Each checkpoint of a file has a higher number than the one before it.
    package var sequence: UInt64 = 0
    /// The boot in which the checkpoint was written; empty if the system did not report it.
    package var bootIdentity = ""
    /// The URL with its secrets hidden.
    ///
    /// It is only displayed: Pawl does not request it.
    package var source = ""
    /// The mark of the download's URL; `nil` in files of earlier versions.
    package var mark: SourceMark?
    /// The name of the finished file, as the bytes that the file system stores.
    package var targetName: [UInt8] = []
    package var representation = Representation()
    /// The time in seconds since 1970.
    package var createdAt: Int64 = 0
    package var updatedAt: Int64 = 0
    /// The ranges passed to the kernel.
    ///
    /// They survive the end of the process.
    package var writtenClaims: [Claim] = []
    /// The synced ranges.
    ///
    /// They survive a power cut.
    package var durableClaims: [Claim] = []

    package init() {}

    /// Creates a checkpoint from resume data, which describe the bytes in the same way.
    package init(_ content: ResumeContent) {
        self.init()
        bootIdentity = content.bootIdentity
        source = content.url.redacted
        mark = SourceMark(content.url)
        representation = content.representation
        createdAt = content.createdAt
        updatedAt = content.createdAt
        writtenClaims = content.written
        durableClaims = content.durable
    }

    package var written: RangeSet { RangeSet(writtenClaims.lazy.map(\.range)) }
    package var durable: RangeSet { RangeSet(durableClaims.lazy.map(\.range)) }

    // MARK: - Coding

    /// Decodes a payload.
    ///
    /// Nothing is trusted: a payload with a correct checksum may still be made by hand.
    package init(sequence: UInt64, payload: ArraySlice<UInt8>) throws(MalformedBytes) {
        self.init()
        var reader = ByteReader(payload)
        self.sequence = sequence
        bootIdentity = try reader.text()
        createdAt = try reader.number()
        updatedAt = try reader.number()
        source = try reader.text()
        targetName = Array(try reader.lengthAndBytes())
        representation = try reader.representation()
        writtenClaims = try reader.claims(within: representation.total)
        durableClaims = try reader.claims(within: representation.total)
        guard writtenClaims.count + durableClaims.count <= CheckpointLimits.ranges else {
            throw MalformedBytes(what: "too many ranges")
        }
        if !reader.isAtEnd {
            let text = try reader.text()
            guard let mark = SourceMark(text: text) else {
                throw MalformedBytes(what: "a mark of an unknown form")
            }
            self.mark = mark
        }
        guard reader.isAtEnd else { throw MalformedBytes(what: "bytes after the end") }
    }

    /// The encoded checkpoint without the sequence, which is in the slot's head.
    package var encoded: [UInt8] {
        var writer = ByteWriter(
            capacity: 512 + source.utf8.count + 24 * (writtenClaims.count + durableClaims.count)
        )
        writer.put(bootIdentity.bounded)
        writer.put(createdAt)
        writer.put(updatedAt)
        writer.put(source.bounded)
        writer.put(targetName.prefix(CheckpointLimits.textLength))
        writer.put(representation)
        writer.put(writtenClaims)
        writer.put(durableClaims)
        if let mark { writer.put(mark.text) }
        return writer.bytes
    }
}

extension String {
    /// The text, cut if it is too long.
    fileprivate var bounded: String {
        isBounded
            ? self : String(decoding: utf8.prefix(CheckpointLimits.textLength - 8), as: UTF8.self)
    }
}

extension ResumeContent {
    /// Takes over the content of a checkpoint and the path of its partial file.
    package mutating func take(_ checkpoint: Checkpoint, of paths: DownloadPaths) {
        bootIdentity = checkpoint.bootIdentity
        representation = checkpoint.representation
        createdAt = checkpoint.updatedAt
        written = checkpoint.writtenClaims
        durable = checkpoint.durableClaims
        partialPath = paths.partial.absolute.bytes
        finalPath = paths.final.absolute.bytes
    }
}
