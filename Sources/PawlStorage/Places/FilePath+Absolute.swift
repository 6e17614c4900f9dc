internal import Glibc
package import SystemPackage

extension FilePath {
    /// The absolute path; the path itself if the working folder cannot be determined.
    package var absolute: FilePath {
        guard isRelative, let folder = getcwd(nil, 0) else { return self }
        defer { free(folder) }
        return FilePath(platformString: folder).pushing(self)
    }
}
