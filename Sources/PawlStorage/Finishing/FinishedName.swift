internal import PawlCore
package import SystemPackage

/// What has become of a complete file.
package struct FinishedName: Hashable, Sendable {
    package var path: FilePath
    /// Whether a file with the same bytes had the name already; the new one was then dropped.
    package var wasThere: Bool

    package init(path: FilePath, wasThere: Bool = false) {
        self.path = path
        self.wasThere = wasThere
    }
}

/// What became of a complete file that was to get its name.
package enum PlacedFile: Hashable, Sendable {
    case named(FinishedName)
    /// Nothing was named: the file at this path may have the same bytes, and is to be compared first.
    case undecided(FilePath)

    /// The name; a file that was not compared is another one, which keeps its name.
    func decided() throws(DownloadError) -> FinishedName {
        switch self {
        case .named(let name): return name
        case .undecided(let path): throw DownloadError(.fileExists, while: .rename, path)
        }
    }
}
