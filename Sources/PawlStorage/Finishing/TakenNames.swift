package import struct FoundationEssentials.URL
internal import Glibc
internal import PawlCore
internal import Synchronization
package import SystemPackage

/// The numbered names that files in the folders of recent downloads have.
///
/// A server may give the same name to thousands of files. Without this, each of them would be
/// compared with all files that came before it. The names are hints: they are checked on disk again
/// after a while, and a file never takes a name that another file has.
///
/// Its calls block.
package final class TakenNames: Sendable {
    /// The names of one finished file.
    private final class Names: Sendable {
        let files = Mutex(TakenFiles())
    }

    /// The lowest number that is remembered.
    ///
    /// Lower ones are always checked on disk, so that a name is used again as soon as its file has
    /// been deleted.
    package static let firstNumber = 8
    private static let mostNames = 16
    private static let mostMarks = 20_000

    private let now: @Sendable () -> ContinuousClock.Instant
    private let names = Mutex<[FilePath: Names]>([:])
    /// The addresses by the marks that this process has made.
    private let addresses = Mutex<[SourceMark: String]>([:])

    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// Returns the first number from `number` on that is not known to be taken, or is one of
    /// `candidates`.
    ///
    /// `wanted` is the name of the finished file without a number.
    package func next(
        from number: Int,
        of wanted: FilePath,
        orIn candidates: Set<Int> = []
    ) -> Int {
        guard number >= Self.firstNumber, let names = names.withLock({ $0[wanted] }) else {
            return number
        }
        return names.files.withLock { files in
            files.checkIfDue(now)
            return files.next(from: number, orIn: candidates)
        }
    }

    /// Returns the numbers of the known files that may be the one that is sought.
    package func candidates(of wanted: FilePath, for sought: SoughtFile) -> Set<Int> {
        names.withLock { $0[wanted] }?.files.withLock { $0.candidates(for: sought) } ?? []
    }

    /// Remembers that there is another file at `path`, the name of `wanted` with this number.
    ///
    /// Only regular files are remembered.
    package func note(_ number: Int, at path: FilePath, of wanted: FilePath) {
        guard number >= Self.firstNumber else { return }
        let names = names.withLock { all in
            if let names = all[wanted] { return names }
            if all.count >= Self.mostNames { all = [:] }
            let names = Names()
            all[wanted] = names
            return names
        }
        // A file that cannot be read is not proven to be the same as any other.
        guard let status = try? path.status(), status.isRegular else { return }
        let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        let record = file.flatMap { RepresentationMark.record(of: $0, at: path) }
        let address = record?.source.flatMap { mark in addresses.withLock { $0[mark] } }
        let taken = TakenFiles.File(
            path: path,
            stamp: FileStamp(status),
            record: record,
            address: address
        )
        names.files.withLock { $0.add(taken, number, now) }
    }

    /// Remembers the URL of a complete file by its mark, so that the file need not be compared for
    /// other URLs.
    package func note(_ store: PartialStore, of url: URL) {
        guard store.paths.number >= Self.firstNumber, let mark = store.mark else { return }
        let address = SourceMark.address(url)
        // An earlier run may have begun the file with another URL.
        guard mark.matches(address: address) else { return }
        addresses.withLock { addresses in
            if addresses.count >= Self.mostMarks { addresses = [:] }
            addresses[mark] = address
        }
    }
}
