internal import CPlatform
internal import Glibc
package import PawlCore
internal import PawlStorage

/// A folder within another one, held open.
///
/// Whatever is renamed or linked meanwhile, all operations apply to this folder.
///
/// While it is held, its files are named through `/proc/self/fd`.
package final class ConfinedFolder: Sendable {
    private let descriptor: Int32
    /// The path as the user knows it, without a trailing slash.
    private let path: String
    private let inner: String

    deinit { close(descriptor) }

    /// Opens a folder.
    ///
    /// `path` must be within `root`, and none of its symbolic links may lead out.
    ///
    /// `creates`: whether missing folders are created; otherwise a missing folder gives `nil`.
    package init?(_ path: String, in root: String, creates: Bool) throws(DownloadError) {
        guard let names = path.names(below: root) else { throw Self.leadsOut(path, root) }
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
        self.path = "/" + (path.names(below: "/") ?? []).joined(separator: "/")
        inner = HeldFolder.path(folder)
    }

    // MARK: - Names in it

    /// Returns a path that reaches a file of the folder.
    package func inner(_ name: String) -> String { "\(inner)/\(name)" }

    /// The path of the folder itself, with a trailing slash.
    package var innerFolder: String { "\(inner)/" }

    /// Returns the path that reaches a file whose path, as the user knows it, begins with the
    /// folder.
    package func inside(_ path: String) -> String {
        inner(path.pathNames.last.map(String.init) ?? "")
    }

    /// Returns a path as the user knows it.
    package func shown(_ text: String) -> String { text.replacing(inner, with: path) }

    package func shown(_ error: DownloadError) -> DownloadError {
        var told = DownloadError(
            error.code,
            shown(error.message),
            advice: error.guidance.replacing(inner, with: path),
            context: error.context.map { shown($0) },
            retryClass: error.retryClass,
            retryAfter: error.retryAfter
        )
        (told.cause, told.httpStatus) = (error.cause, error.httpStatus)
        return told
    }

    // MARK: - Opening

    /// Creates the root.
    ///
    /// A root that cannot be created cannot be opened either, and opening reports the reason.
    private static func make(_ root: String) {
        var path = ""
        for name in root.pathNames {
            path += "/\(name)"
            mkdir(path, 0o777)
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
            defer { close(parent) }
            let way = names[...count].joined(separator: "/")
            folder = try beneath(way, in: base, path, root)
            if folder == nil, creates {
                // A folder that another process has just created can be used as well.
                guard mkdirat(parent, names[count], 0o777) == 0 || errno == EEXIST else {
                    throw failure(path, errno)
                }
                folder = try beneath(way, in: base, path, root)
            }
        }
        return folder
    }

    /// Opens a name; `nil` if nothing has that name.
    private static func beneath(
        _ way: String,
        in base: Int32,
        _ path: String,
        _ root: String
    ) throws(DownloadError) -> Int32? {
        // During a rename the kernel cannot answer, and asks for a repetition.
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
            "\(path.sanitized(atMost: 200)) is not inside \(root)",
            advice: "choose a folder inside it; '..' and symbolic links that lead out of it are "
                + "not allowed"
        )
    }

    private static func failure(_ path: String, _ code: Int32) -> DownloadError {
        let shown = path.sanitized(atMost: 200)
        return switch code {
        case ENOTDIR:
            DownloadError(
                .fileExists,
                "'\(shown)' is not a folder: a part of its path is a file",
                advice: "choose another folder"
            )
        case ENAMETOOLONG:
            .usage(
                "'\(shown)' cannot be a folder: a name in its path is too long",
                advice: "choose a shorter name"
            )
        default:
            DownloadError(
                .directoryNotUsable,
                "the folder cannot be used: \(String(cString: strerror(code)))",
                advice: "choose another folder, or check its permissions",
                context: "opening \(shown)"
            )
        }
    }

    /// The default folder for downloads: from `user-dirs.dirs`, otherwise `~/Downloads`.
    package static var downloads: String? { SystemPlaces.downloads }
}
