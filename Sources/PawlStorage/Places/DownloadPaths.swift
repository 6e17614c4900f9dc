package import SystemPackage

/// The paths of one download, all in the folder of the finished file.
package struct DownloadPaths: Hashable, Sendable {
    /// The finished file.
    package let final: FilePath
    /// The requested name, without the number that `final` or `partial` may have.
    package let wanted: FilePath
    /// The path after which the partial file is named: `final`, unless another file has that
    /// partial name.
    package let base: FilePath
    /// The number in the name of the partial file; 0 for none.
    package let number: Int
    private let stem: FilePath

    /// `NAME.part`, the bytes so far.
    package var partial: FilePath { stem.appending(suffix: ".part") }
    /// `NAME.part.pawl`, which lists the valid bytes.
    package var checkpoint: FilePath { stem.appending(suffix: ".part.pawl") }

    package init(_ final: FilePath) { self.init(final, partial: final) }

    /// Creates paths with a partial file named after `other`, if another tool or download has the
    /// usual name.
    ///
    /// `wanted` is the requested name, and `nil` means `final`. `number` is the number in `other`.
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

    /// Creates the paths of the finished file `final` whose partial file has a number.
    package static func numbered(_ final: FilePath, _ number: Int) -> DownloadPaths {
        DownloadPaths(final, partial: final.numbered(number), wanted: final, number: number)
    }

    /// Creates the paths from those of a partial file or a checkpoint; `nil` if the name is
    /// neither.
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

    /// The name of the finished file, as bytes.
    var targetName: [UInt8] { final.nameBytes }

    /// Returns `NAME.corrupt`, or `NAME.corrupt.N`.
    func corrupt(_ number: Int) -> FilePath {
        final.shortenedStem.appending(suffix: number == 0 ? ".corrupt" : ".corrupt.\(number)")
    }

    /// Returns the paths to which an unusable partial file and checkpoint are moved.
    func setAside(_ number: Int) -> (partial: FilePath, checkpoint: FilePath) {
        (partial.appending(suffix: ".\(number)"), checkpoint.appending(suffix: ".\(number)"))
    }
}
