package import PawlCore
package import SystemPackage

extension Place {
    /// Returns the path of an application's folder without creating it.
    package func path(for application: StorageKey) throws(DownloadError) -> FilePath {
        guard let standard else { return given }
        return try SystemPlaces.current().path(of: standard, for: application)
    }

    /// Returns the path of an application's folder.
    ///
    /// A standard folder exists when this returns; one given by path may not.
    package func prepared(for application: StorageKey) throws(DownloadError) -> FilePath {
        guard let standard else { return given }
        return try SystemPlaces.current().prepare(standard, for: application)
    }

    private var given: FilePath {
        guard case .directory(let path) = self, !path.isEmpty else { return "." }
        return FilePath(path)
    }
}
