internal import PawlCore
internal import PawlStorage
package import PawlWire
internal import SystemPackage

extension DaemonPlaces {
    /// As the environment says it now.
    package static func current() throws(DownloadError) -> DaemonPlaces {
        try DaemonPlaces(SystemPlaces.surroundings)
    }

    /// Makes the folders, which are the user's alone.
    ///
    /// Throws `.directoryNotUsable` where one is somebody else's, or others may look into it.
    package func prepare() throws(DownloadError) {
        for folder in Set([socketFolder, storeFolder]) {
            try SystemPlaces.preparePrivate(FilePath(folder))
        }
    }
}
