internal import CPlatform
internal import Glibc
package import PawlCore
internal import PawlStorage

/// A folder within another one, held open: whatever is renamed or linked meanwhile, what is done in it
/// is done there.
///
/// Its files are named by way of `/proc/self/fd` while it is held.
package final class ConfinedFolder: Sendable {
    private let descriptor: Int32
    /// Its path as the user knows it, without a slash at its end.
    private let path: String
    private let inner: String

    deinit { close(descriptor) }

    /// `path` must lie in `root`, and no symbolic link of it may lead out.
    ///
    /// `creates`: makes what is missing; else nil is a folder that is not there.
    package init?(_ path: String, in root: String, creates: Bool) throws(DownloadError) {
        guard let names = Self.names(of: path, in: root) else { throw Self.leadsOut(path, root) }
        if creates { Self.make(root) }
        let base = pawl_open_place(root)
        guard base >= 0 else {
            guard creates || errno != ENOENT else { return nil }
            throw Self.failure(root, errno)
        }
        defer { close(base) }
        guard let folder = try Self.open(names, in: base, creates: creates, path, root) else {
            return nil
        }
        descriptor = folder
        self.path = "/" + (Self.names(of: path, in: "/") ?? []).joined(separator: "/")
        inner = "/proc/self/fd/\(folder)"
    }

    /// The names behind a folder that lead to a path; nil where it does not lie in there.
    package static func names(of path: String, in folder: String) -> [String]? {
        guard path.hasPrefix("/"), folder.hasPrefix("/"), !path.utf8.contains(0) else { return nil }
        let (names, own) = (parts(path), parts(folder))
        guard names.starts(with: own), !names.contains("..") else { return nil }
        return Array(names.dropFirst(own.count))
    }

    private static func parts(_ path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.map(String.init)
    }

    // MARK: - Names in it

    /// How to name a file of it, so that it is met there.
    package func inner(_ name: String) -> String { "\(inner)/\(name)" }

    /// The folder itself, with a slash at its end.
    package var innerFolder: String { "\(inner)/" }

    /// Of a path with a folder in front, as the user knows it.
    package func inside(_ path: String) -> String {
        inner(path.split(separator: "/").last.map(String.init) ?? "")
    }

    /// A path as the user knows it.
    package func shown(_ text: String) -> String { text.replacing(inner, with: path) }

    package func shown(_ error: DownloadError) -> DownloadError {
        var told = DownloadError(
            error.code,
            shown(error.message),
            advice: shown(error.advice),
            context: error.context.map { shown($0) },
            retryClass: error.retryClass,
            retryAfter: error.retryAfter
        )
        (told.cause, told.httpStatus) = (error.cause, error.httpStatus)
        return told
    }

    // MARK: - Opening

    /// A root that cannot be made cannot be opened, which says why.
    private static func make(_ root: String) {
        var place = ""
        for name in parts(root) {
            place += "/\(name)"
            mkdir(place, 0o777)
        }
    }

    private static func open(
        _ names: [String],
        in base: Int32,
        creates: Bool,
        _ path: String,
        _ root: String
    ) throws(DownloadError) -> Int32? {
        var folder = try beneath(".", in: base, path, root)
        for count in names.indices {
            guard let parent = folder else { return nil }
            let way = names[...count].joined(separator: "/")
            folder = try beneath(way, in: base, path, root)
            if folder == nil, creates {
                // One that somebody else made in this moment is as good.
                guard mkdirat(parent, names[count], 0o777) == 0 || errno == EEXIST else {
                    let code = errno
                    close(parent)
                    throw failure(path, code)
                }
                folder = try beneath(way, in: base, path, root)
            }
            close(parent)
        }
        return folder
    }

    /// Nil where there is nothing of that name.
    private static func beneath(
        _ way: String,
        in base: Int32,
        _ path: String,
        _ root: String
    ) throws(DownloadError) -> Int32? {
        // While something is being renamed the kernel cannot say, and wants to be asked again.
        for _ in 0..<64 {
            let folder = pawl_open_folder_beneath(base, way)
            guard folder < 0 else { return folder }
            switch errno {
            case EAGAIN, EINTR: continue
            case ENOENT: return nil
            case EXDEV, ELOOP: throw leadsOut(path, root)
            default: throw failure(path, errno)
            }
        }
        throw failure(path, EAGAIN)
    }

    private static func leadsOut(_ path: String, _ root: String) -> DownloadError {
        DownloadError(
            .notAllowed,
            "\(path.sanitized(atMost: 200)) does not lie in \(root)",
            advice: "choose a folder in there, without symbolic links out of it and without '..'"
        )
    }

    private static func failure(_ path: String, _ code: Int32) -> DownloadError {
        DownloadError(
            .directoryNotUsable,
            "the folder cannot be used: \(String(cString: strerror(code)))",
            advice: "choose another one, or look at its rights",
            context: "opening \(path)"
        )
    }

    /// Where downloads go if nobody says anything else: `user-dirs.dirs`, else `~/Downloads`.
    package static var downloads: String? { SystemPlaces.downloads }
}
