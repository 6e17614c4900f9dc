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
