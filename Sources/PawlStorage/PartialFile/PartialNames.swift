internal import Glibc
internal import PawlCore
package import SystemPackage

/// The numbered names of one finished file's partial files, checked without creating a path for
/// each.
///
/// Nearly all of them are free, and a download of a small file checks several.
package struct PartialNames: Sendable {
    /// The folder with its trailing slash; empty for a plain name.
    let folder: String
    /// The name without a number.
    let file: String
    private let name: FileNameParts

    /// Returns `nil` if the name is not UTF-8, or so long that numbers and suffixes would shorten
    /// it.
    package init?(_ final: FilePath) {
        // A path that is not UTF-8 has no such text.
        guard let path = final.withPlatformString({ String(validatingCString: $0) }) else {
            return nil
        }
        file = String(path.pathFile)
        guard (1...Self.longestName).contains(file.utf8.count) else { return nil }
        folder = path.pathFolder
        name = FileNameParts(file)
    }

    private static let longestNumber = 99_999
    private static let longestName = FilePath.longestStem - ".99999".utf8.count

    /// Whether neither a partial file nor a checkpoint has the name with this number.
    ///
    /// It is also `false` if that cannot be determined.
    package func isFree(_ number: Int) -> Bool {
        guard number <= Self.longestNumber else { return false }
        let stem =
            number == 0
            ? folder + name.stem + name.suffix
            : "\(folder)\(name.stem).\(number)\(name.suffix)"
        return Self.isAbsent(stem + ".part.pawl") && Self.isAbsent(stem + ".part")
    }

    private static func isAbsent(_ path: String) -> Bool {
        var status = Glibc.stat()
        return lstat(path, &status) != 0 && errno == ENOENT
    }
}
