/// What a system says of where files belong: read once, decided on as plain values.
package struct PlaceSurroundings: Hashable, Sendable {
    /// The environment's variables that matter.
    package var variables: [String: String]
    /// As the system's list of users has it; counts where `HOME` says nothing.
    package var homeOfUser: String?
    /// The user's number.
    package var user: UInt32
    /// The text of `user-dirs.dirs`, empty where there is none.
    package var userDirectories = ""

    package init(variables: [String: String], homeOfUser: String?, user: UInt32) {
        self.variables = variables
        self.homeOfUser = homeOfUser
        self.user = user
    }

    /// The user's own folder.
    package var home: String? { path(in: "HOME") ?? homeOfUser.flatMap(Self.absolute) }

    /// A variable's path; one that is empty or relative counts as not set (XDG Base Directory
    /// Specification 0.8, "All paths set in these environment variables must be absolute").
    package func path(in variable: String) -> String? {
        variables[variable].flatMap(Self.absolute)
    }

    /// Nil for what is no absolute path; without slashes at its end.
    static func absolute(_ text: String) -> String? {
        guard text.hasPrefix("/"), !text.utf8.contains(0) else { return nil }
        var path = Substring(text)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return String(path)
    }
}
