internal import PawlStorage
internal import PawlCore

/// The home folder of the process's user.
package enum UserHome {
    /// The path; `nil` if it is not known.
    package static var path: String? {
        // A path that is not UTF-8 cannot be that of a rule.
        (try? SystemPlaces.surroundings())?.home
    }
}
