internal import PawlCore
internal import Synchronization
internal import SystemPackage

/// The numbers in the names of the partial files in some folders.
///
/// A search for a download's partial file checks the first numbers itself. This finds a file whose
/// number is higher, because other downloads had the lower ones and have finished since. The
/// numbers are hints: a folder is listed again only after a while, so that many downloads into one
/// folder do not list it each time.
///
/// Its calls block.
package final class NumberedPartials: Sendable {
    /// One folder's partial files.
    private final class Folder: Sendable {
        let listing = Mutex<Listing?>(nil)
    }

    private struct Listing: Sendable {
        /// The numbers by the name of the finished file without a number.
        var numbers: [ExactText: [Int]] = [:]
        /// The stems that were shortened, so that they do not contain their number.
        var shortened: Set<ExactText> = []
        /// The names whose numbers have been looked for among the shortened stems.
        var searched: Set<ExactText> = []
        var expiry: ContinuousClock.Instant

        /// Returns the numbers of a finished file's partial files, in ascending order.
        mutating func numbers(of names: PartialNames) -> [Int] {
            let name = ExactText(names.file)
            if searched.insert(name).inserted {
                add(names.numbers(ofShortened: shortened), name)
            }
            return numbers[name] ?? []
        }

        mutating func add(_ found: [Int], _ name: ExactText) {
            guard !found.isEmpty else { return }
            numbers[name] = Set((numbers[name] ?? []) + found).sorted()
        }
    }

    /// The minimum time between two listings of a folder.
    private static let shortestInterval = Duration.seconds(1)
    /// The minimum time between two listings, as a multiple of the time that a listing takes.
    private static let restFactor = 20
    private static let mostFolders = 64
    /// The maximum number of names that are read of a folder.
    private static let mostNames = 100_000
    private static let suffix = Array(".part.pawl".utf8)

    private let folders = Mutex<[ExactText: Folder]>([:])

    package init() {}

    /// Returns the numbers of a finished file's partial files, in ascending order.
    ///
    /// A folder that cannot be read has none.
    package func numbers(of names: PartialNames) -> [Int] {
        let path = ExactText(names.folder)
        let folder = folders.withLock { folders in
            if let folder = folders[path] { return folder }
            if folders.count >= Self.mostFolders { folders = [:] }
            let folder = Folder()
            folders[path] = folder
            return folder
        }
        // Only downloads into the same folder wait for its listing.
        return folder.listing.withLock { listing in
            let start = ContinuousClock.now
            if var current = listing, start < current.expiry {
                listing = nil
                defer { listing = current }
                return current.numbers(of: names)
            }
            var current = Self.list(path.text.isEmpty ? "." : FilePath(path.text))
            let numbers = current.numbers(of: names)
            let end = ContinuousClock.now
            current.expiry = end + max(Self.shortestInterval, (end - start) * Self.restFactor)
            listing = current
            return numbers
        }
    }

    /// Remembers that a partial file was left, in case its folder is not listed again before the
    /// next search.
    package func note(_ number: Int, of names: PartialNames) {
        let folder = folders.withLock { $0[ExactText(names.folder)] }
        folder?.listing.withLock { listing in
            listing?.add([number], ExactText(names.file))
        }
    }

    private static func list(_ folder: FilePath) -> Listing {
        // Without the hints a download begins again, as it does in an empty folder.
        let names = try? FolderListing.names(in: folder, withSuffix: suffix, limit: mostNames)
        var listing = Listing(expiry: .now)
        for bytes in names ?? [] {
            guard let name = String(validating: bytes.dropLast(suffix.count), as: UTF8.self) else {
                continue
            }
            if let (base, number) = FileName.withoutNumber(name), number < FreeName.limit {
                listing.numbers[ExactText(base), default: []].append(number)
            }
            if FilePath.isShortenedStem(name) { listing.shortened.insert(ExactText(name)) }
        }
        listing.numbers = listing.numbers.mapValues { $0.sorted() }
        return listing
    }
}
