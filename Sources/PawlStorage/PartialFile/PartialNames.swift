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

    /// Returns `nil` if the name is not UTF-8.
    package init?(_ final: FilePath) {
        // A path that is not UTF-8 has no such text.
        guard let path = final.withPlatformString({ String(validatingCString: $0) }) else {
            return nil
        }
        file = String(path.pathFile)
        guard !file.isEmpty else { return nil }
        folder = path.pathFolder
        name = FileNameParts(file)
    }

    /// Whether neither a partial file nor a checkpoint has the name with this number.
    ///
    /// It is also `false` if that cannot be determined.
    package func isFree(_ number: Int) -> Bool {
        let stem = folder + stem(number)
        return Self.isAbsent(stem + ".part.pawl") && Self.isAbsent(stem + ".part")
    }

    /// Returns the name of the partial file with this number, without its suffix.
    private func stem(_ number: Int) -> String {
        let stem = number == 0 ? file : "\(name.stem).\(number)\(name.suffix)"
        guard stem.utf8.count > FilePath.longestStem else { return stem }
        return FilePath(file).numbered(number).shortenedStem.string
    }

    /// Returns the numbers of those of the shortened stems that belong to the name, in ascending
    /// order.
    ///
    /// A shortened stem does not contain its number, only a checksum of the name with the number.
    func numbers(ofShortened stems: Set<ExactText>) -> [Int] {
        guard !stems.isEmpty, isShortened(FreeName.limit - 1) else { return [] }
        let common = zip(stem(1).utf8, stem(FreeName.limit - 1).utf8).prefix { $0 == $1 }.map(\.0)
        var left = stems.filter { $0.text.utf8.starts(with: common) }
        left.remove(ExactText(stem(0)))
        var numbers: [Int] = []
        for number in 1..<FreeName.limit where isShortened(number) {
            guard !left.isEmpty else { break }
            if left.remove(ExactText(stem(number))) != nil { numbers.append(number) }
        }
        return numbers
    }

    private func isShortened(_ number: Int) -> Bool {
        file.utf8.count + ".\(number)".utf8.count > FilePath.longestStem
    }

    private static func isAbsent(_ path: String) -> Bool {
        var status = Glibc.stat()
        return lstat(path, &status) != 0 && errno == ENOENT
    }
}
