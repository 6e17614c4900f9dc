internal import PawlCore
internal import PawlStorage
package import PawlWire
internal import SystemPackage

extension DaemonPaths {
    /// Returns the paths according to the current environment.
    package static func current() throws(DownloadError) -> DaemonPaths {
        try DaemonPaths(SystemPlaces.surroundings())
    }

    /// Creates the folders, which only the user can access.
    ///
    /// Throws `.directoryNotUsable` if one belongs to another user, or others may read it.
    package func prepare() throws(DownloadError) {
        for folder in Set([socketFolder, storeFolder]) {
            try SystemPlaces.preparePrivate(FilePath(folder))
        }
    }

    /// Checks that no other user can have created the socket.
    ///
    /// Throws `.directoryNotUsable`.
    func checkSocketFolder() throws(DownloadError) {
        try SystemPlaces.checkPrivate(FilePath(socketFolder))
    }
}
