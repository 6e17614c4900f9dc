package import SystemPackage

/// Where the parts of one download lie: all in the folder of the finished file.
package struct DownloadPaths: Hashable, Sendable {
    /// The finished file.
    package let final: FilePath
    /// The name that was asked for, without the number that `final` or `partial` may have.
    package let wanted: FilePath
    /// What the partial file is named after: `final`, unless something else has that name's.
    package let base: FilePath
    /// The number in the name of the partial file, 0 for none.
    package let number: Int
    private let stem: FilePath

    /// `NAME.part`: the bytes so far.
    package var partial: FilePath { stem.appending(suffix: ".part") }
    /// `NAME.part.pawl`: which of them are good.
    package var checkpoint: FilePath { stem.appending(suffix: ".part.pawl") }

    package init(_ final: FilePath) { self.init(final, partial: final) }

    /// The partial file is named after `other`, where another tool or download has the usual name.
    ///
    /// `wanted`: the name that was asked for; `final` if it is `nil`. `number`: that of `other`.
    package init(
        _ final: FilePath,
        partial other: FilePath,
        wanted: FilePath? = nil,
        number: Int = 0
    ) {
        self.final = final
        self.wanted = wanted ?? final
        self.number = number
        base = other
        stem = other.shortenedStem
    }

    /// Of a partial file or a checkpoint, nil where the name is neither.
    package init?(partialOrCheckpoint path: FilePath) {
        for suffix in [".part.pawl", ".part"] {
            guard let stem = path.removing(suffix: suffix) else { continue }
            final = stem
            wanted = stem
            number = 0
            base = stem
            self.stem = stem
            return
        }
        return nil
    }

    package var folder: FilePath { final.folder }

    /// The name that the finished file will have, as bytes.
    var targetName: [UInt8] { final.nameBytes }

    /// `NAME.corrupt`, or `NAME.corrupt.N`.
    func corrupt(_ number: Int) -> FilePath {
        final.shortenedStem.appending(suffix: number == 0 ? ".corrupt" : ".corrupt.\(number)")
    }

    /// Where a partial file and a checkpoint that cannot be used are put.
    func setAside(_ number: Int) -> (partial: FilePath, checkpoint: FilePath) {
        (partial.appending(suffix: ".\(number)"), checkpoint.appending(suffix: ".\(number)"))
    }
}
