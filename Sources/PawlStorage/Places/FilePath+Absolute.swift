internal import Glibc
package import SystemPackage

extension FilePath {
    /// The path from the root; the path itself where the working folder cannot be told.
    package var absolute: FilePath {
        guard isRelative, let folder = getcwd(nil, 0) else { return self }
        defer { free(folder) }
        return FilePath(platformString: folder).pushing(self)
    }
}
