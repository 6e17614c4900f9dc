internal import PawlCore

/// The paths of the files and folders of one list, relative to the local folder (pure).
///
/// A name that needs no cleaning keeps it. Others are cleaned as ``FileName/clean(_:)`` does, and get
/// a number if the name is taken, so that no path leads to another folder.
package struct FolderNames: Sendable {
    private var taken: Set<ExactText> = []

    package init() {}

    /// Takes a path as it is; returns `nil` if it needs cleaning or is taken.
    package mutating func take(_ names: [String]) -> String? {
        guard names.allSatisfy({ FileName.clean($0)?.isExactly($0) == true }) else { return nil }
        let path = names.joined(separator: "/")
        return taken.insert(ExactText(path)).inserted ? path : nil
    }

    /// Cleans the names, and adds a number if the path is taken.
    ///
    /// Returns `nil` if no number is free.
    package mutating func takeClean(_ names: [String]) -> String? {
        guard let last = names.last else { return nil }
        let folder = names.dropLast().map { (FileName.clean($0) ?? "_") + "/" }.joined()
        let name = FileName.clean(last) ?? "_"
        return FreeName.search { number -> String? in
            let path = folder + FileName.numbered(name, number)
            return taken.insert(ExactText(path)).inserted ? path : nil
        }
    }
}
