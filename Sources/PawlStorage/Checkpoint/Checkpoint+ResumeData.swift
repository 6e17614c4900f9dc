package import PawlCore

/// A checkpoint and resume data describe the bytes in the same way.
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
