package import PawlCore

/// A checkpoint and resume data say the same of the bytes.
extension Checkpoint {
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
}

extension ResumeContent {
    /// Takes over what a checkpoint says, and where its partial file is.
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
