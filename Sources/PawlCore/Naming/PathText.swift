/// The parts of a path, divided at the same bytes as the kernel divides it.
///
/// A `/` and a following combining mark are one `Character`, which is not equal to `/`. A path must
/// therefore not be searched for `/` with the methods of `String`.
extension StringProtocol where SubSequence == Substring {
    @inlinable package var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

    /// Whether the path ends in a slash, so that it can only be that of a folder.
    @inlinable package var isFolderPath: Bool { self[...].utf8.last == UInt8(ascii: "/") }

    /// The names between the slashes; `.` and `..` are among them.
    package var pathNames: [Substring] {
        pieces(at: "/").filter { !$0.isEmpty }
    }

    /// The path up to and including its last slash; empty if it has none.
    @inlinable package var pathFolder: String {
        // `self[...slash]` would end after the whole Character.
        let bytes = self[...].utf8
        return bytes.lastIndex(of: UInt8(ascii: "/")).map { String(Substring(bytes[...$0])) } ?? ""
    }

    /// The text after the last slash.
    @inlinable package var pathFile: Substring {
        self[...].utf8.lastIndex(of: UInt8(ascii: "/")).map { self[utf8.index(after: $0)...] }
            ?? self[...]
    }

    /// The path with a slash at its end.
    package var asFolderPath: String { isFolderPath ? String(self) : "\(self)/" }

    /// An absolute path without `.`, `..` and repeated slashes.
    ///
    /// Links are not followed. A relative path is read as one below `/`.
    package var withoutDots: String {
        var names: [Substring] = []
        for name in pathNames where name != "." {
            if name == ".." { _ = names.popLast() } else { names.append(name) }
        }
        return "/" + names.joined(separator: "/")
    }

    /// Returns the names that lead from a folder to the path, without `.`.
    ///
    /// Returns `nil` if one of the paths is not absolute, or if the path is not in the folder. A
    /// path with `..` is in no folder. Links are not followed.
    package func names(below folder: String) -> [String]? {
        guard isAbsolutePath, folder.isAbsolutePath, !utf8.contains(0) else { return nil }
        let (names, own) = (pathNames.filter { $0 != "." }, folder.pathNames.filter { $0 != "." })
        guard names.starts(with: own, by: { $0.isExactly($1) }), !names.contains("..") else {
            return nil
        }
        return names.dropFirst(own.count).map(String.init)
    }
}
