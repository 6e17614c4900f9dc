internal import Glibc
package import PawlCore
package import SystemPackage

/// Computes the digest of a complete file.
package enum FileDigest {
    package static func compute(
        _ algorithm: DigestAlgorithm,
        of path: FilePath
    ) throws(DownloadError) -> ContentDigest {
        let file = try attempt(.inspect, path, OpenFile(path, O_RDONLY))
        return try compute(algorithm, of: file, path)
    }

    package static func compute(
        _ algorithm: DigestAlgorithm,
        of file: OpenFile,
        _ path: FilePath,
        _ onPiece: () throws(DownloadError) -> Void = {}
    ) throws(DownloadError) -> ContentDigest {
        let context = try DigestContext(algorithm)
        let buffer = PieceBuffer(count: 256 * 1024)
        var position: Int64 = 0
        while true {
            try onPiece()
            let offset = position
            let count = try attempt(.inspect, path, file.read(into: buffer.bytes, at: offset))
            guard count > 0 else { return try context.finalize() }
            try context.update(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]))
            position += Int64(count)
        }
    }
}
