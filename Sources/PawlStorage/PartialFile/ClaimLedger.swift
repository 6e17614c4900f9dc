internal import Glibc
internal import PawlCore
internal import SystemPackage

/// The valid bytes of a partial file and their representation: the content of its checkpoint.
struct ClaimLedger: Sendable {
    var source: String
    var mark: SourceMark?
    var representation: Representation
    /// The bytes that survive the end of the process.
    var written = RangeSet()
    /// The bytes that survive a power cut.
    var durable = RangeSet()
    private(set) var epoch = 0
    private let createdAt: Int64
    private var tails = TailCache()

    /// Creates the ledger of a new file.
    init(source: String, mark: SourceMark? = nil, representation: Representation) {
        self.source = source
        self.mark = mark
        self.representation = representation
        createdAt = Int64(time(nil))
    }

    /// Creates the ledger of the file to which a checkpoint belongs, without any bytes.
    init(of checkpoint: Checkpoint) {
        source = checkpoint.source
        mark = checkpoint.mark
        representation = checkpoint.representation
        createdAt = checkpoint.createdAt
    }

    /// Restricts the claims to these ranges.
    mutating func restrict(to kept: RangeSet) {
        let (oldWritten, oldDurable) = (written, durable)
        written = written.intersection(kept)
        durable = durable.intersection(kept)
        // Bytes that are written there again have another checksum.
        if written != oldWritten || durable != oldDurable { tails.removeAll() }
    }

    /// Begins a new epoch, in which only these ranges of the earlier bytes still count.
    mutating func forget(keeping kept: RangeSet) {
        epoch += 1
        tails.removeAll()
        written = kept
        durable = kept
    }

    /// Returns a checkpoint with the ledger's claims, as far as the file contains them.
    mutating func checkpoint(
        of file: OpenFile,
        _ paths: DownloadPaths,
        _ boot: BootIdentity
    ) throws(DownloadError) -> Checkpoint {
        // Durable bytes are written bytes, whichever of the two claims came last.
        var written = written
        written.formUnion(self.durable)
        var durable = durable
        // Bytes after the end do not belong to the representation.
        if let total = representation.total {
            written.remove(ByteRange(total, .max))
            durable.remove(ByteRange(total, .max))
        }
        var tails = tails
        let claims = try attempt(.read, paths.partial, tails.claims(written, durable, in: file))
        self.tails = tails
        var checkpoint = emptyCheckpoint(paths, boot)
        checkpoint.updatedAt = Int64(time(nil))
        checkpoint.writtenClaims = claims.written
        checkpoint.durableClaims = claims.durable
        return checkpoint
    }

    /// Returns the checkpoint of the file while it has no bytes.
    func emptyCheckpoint(_ paths: DownloadPaths, _ boot: BootIdentity) -> Checkpoint {
        var checkpoint = Checkpoint()
        checkpoint.bootIdentity = boot.text
        checkpoint.source = source
        checkpoint.mark = mark
        checkpoint.targetName = paths.targetName
        checkpoint.representation = representation
        checkpoint.createdAt = createdAt
        checkpoint.updatedAt = createdAt
        return checkpoint
    }
}
