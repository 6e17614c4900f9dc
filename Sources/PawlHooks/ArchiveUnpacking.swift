internal import CPlatform
internal import FoundationEssentials
internal import Glibc
internal import PawlCore

/// Unpacks a finished archive into a new folder beside it, with `bsdtar` of libarchive.
struct ArchiveUnpacking: Sendable {
    /// The path of the archive.
    let path: String

    /// The endings that are no part of the folder's name, the longest first.
    private static let endings = [
        ".tar.bz2", ".tar.zst", ".tar.gz", ".tar.xz", ".tar.lz", ".tbz2", ".cpio", ".tgz", ".txz",
        ".tar", ".zip", ".rar", ".iso", ".deb", ".rpm", ".jar", ".7z",
    ]
    /// More than enough for any archive.
    private static let timeLimit: Duration = .seconds(24 * 3600)

    /// The name of the folder, unless it is taken.
    var folderName: String {
        let name = String(path.pathFile)
        let ending = Self.endings.first { name.lowercased().hasSuffix($0) } ?? ""
        let stem = String(name.dropLast(ending.count))
        return ending.isEmpty || stem.isEmpty ? name + ".files" : stem
    }

    /// How the program has ended, and the path of the folder if all files are in it.
    struct Result: Sendable {
        var end: ProgramRun.End
        var folder: String?
    }

    /// Unpacks the archive.
    ///
    /// The folder gets its name only when all files are in it; what is incomplete is removed. The
    /// program refuses absolute paths, `..`, and paths that lead through links of the archive.
    ///
    /// - Parameter output: The file for what the program prints.
    func run(_ output: Int32) async -> Result {
        let draft = "\(path.pathFolder).pawl-unpacking-\(UUID().uuidString)"
        guard mkdir(draft, 0o777) == 0 else {
            return Result(end: .failure("failed: no folder can be created beside the file"))
        }
        var run = ProgramRun([
            "bsdtar", "-x", "--no-same-owner", "--no-same-permissions", "-f",
            path.isAbsolutePath ? path : "./" + path,
            "-C", draft,
        ])
        run.output = output
        run.timeLimit = Self.timeLimit
        let end = await run.run()
        if end.isSuccess, let folder = name(draft) { return Result(end: end, folder: folder) }
        try? FileManager.default.removeItem(atPath: draft)
        return Result(end: end.isSuccess ? .failure("failed: the folder gets no name") : end)
    }

    /// Gives the folder its name, which no other file has; returns its path.
    private func name(_ draft: String) -> String? {
        FreeName.search { number in
            let name = number == 0 ? folderName : "\(folderName).\(number)"
            let folder = path.pathFolder + name
            let flags = UInt32(PAWL_RENAME_NOREPLACE)
            return pawl_renameat2(AT_FDCWD, draft, AT_FDCWD, folder, flags) == 0 ? folder : nil
        }
    }
}
