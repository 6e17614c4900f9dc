package import PawlCore
package import PawlStorage
internal import SystemPackage

extension PartialStore: TargetStore {
    package var traits: TargetTraits { TargetTraits(keepsClaims: true, reservesSpace: true) }

    package var name: String { paths.final.lastComponent?.string ?? "" }

    package var place: String { paths.partial.string }

    package var partialFile: PartialStore? { self }

    package func put(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(DownloadError) -> PutAnswer {
        try write(bytes, at: offset)
        return .taken
    }

    package var kept: KeptBytes? {
        latestCheckpoint.map { checkpoint in
            KeptBytes(
                checkpoint.representation,
                count: max(checkpoint.written.count, checkpoint.durable.count),
                file: (checkpoint, paths)
            )
        }
    }
}
