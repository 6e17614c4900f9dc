internal import PawlCore
internal import SystemPackage
internal import struct FoundationEssentials.URL

/// The search for a file with the same bytes as the one that is moved, among those that other
/// processes may have moved.
///
/// Whole files are compared while the folder is not locked, because that may take longer than the
/// others wait. Under the lock, the result is only checked.
struct EqualFileSearch {
    private let names: MovedNames
    private let file: OpenFile
    private let stamp: FileStamp
    private let urls: [URL]
    /// The files that were compared and have other bytes.
    private var others: Set<FileStamp> = []
    private var found: (path: FilePath, stamp: FileStamp)?

    /// Creates a search for the file that is moved; `stamp` is its stamp.
    init(_ names: MovedNames, for file: OpenFile, _ stamp: FileStamp, of urls: [URL]) {
        self.names = names
        self.file = file
        self.stamp = stamp
        self.urls = urls
    }

    /// What is known about the files in the folder at the moment.
    enum Answer {
        case same(FilePath, FileStamp)
        case none
        /// There are files that were not compared, or the one that was found is gone.
        case unknown
    }

    /// Compares the files that were not compared.
    ///
    /// `onPiece` is called before each piece; an error that it throws ends the search.
    mutating func compare(onPiece: () throws(DownloadError) -> Void) throws(DownloadError) {
        found = nil
        for candidate in candidates {
            if try ExistingFile.haveSameBytes(file, candidate.file, stamp.size, onPiece) {
                found = (candidate.path, candidate.stamp)
                return
            }
            others.insert(candidate.stamp)
        }
    }

    /// Checks the result, under the lock of the folder; reads no file.
    var answer: Answer {
        let candidates = candidates
        guard let found else { return candidates.isEmpty ? .none : .unknown }
        let isThere = candidates.contains { $0.path == found.path && $0.stamp == found.stamp }
        return isThere ? .same(found.path, found.stamp) : .unknown
    }

    /// The files that may have the same bytes, without the moved one, which may be in the folder
    /// itself.
    private var candidates: [(path: FilePath, file: OpenFile, stamp: FileStamp)] {
        names.candidates(size: stamp.size, of: urls).filter {
            !$0.stamp.isSameFile(as: stamp) && !others.contains($0.stamp)
        }
    }
}
