internal import PawlCore
package import SystemPackage

/// The name of a complete file.
package struct FinishedName: Hashable, Sendable {
    package var path: FilePath
    /// Whether a file with the same bytes had the name already, so that the new one was removed.
    package var wasThere: Bool

    package init(path: FilePath, wasThere: Bool = false) {
        self.path = path
        self.wasThere = wasThere
    }
}

/// The result of naming a complete file.
package enum NamingResult: Hashable, Sendable {
    case named(FinishedName)
    /// Nothing was named: the file at this path may have the same bytes, and must be compared
    /// first.
    case undecided(FilePath)

    /// Returns the name.
    ///
    /// A file that was not compared counts as another one, which keeps its name.
    func decided() throws(DownloadError) -> FinishedName {
        switch self {
        case .named(let name): return name
        case .undecided(let path): throw DownloadError(.fileExists, while: .rename, path)
        }
    }
}
