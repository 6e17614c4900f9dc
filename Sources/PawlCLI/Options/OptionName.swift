/// The options of one download: on the command line with `--`, in a list as keys.
package enum OptionName: String, CaseIterable, Sendable {
    case output, directory, checksum, header, user, mirror
    case redirectHeader = "redirect-header"
    case userAgent = "user-agent"
    case connections
    case ifExists = "if-exists"
    case cacert, insecure, retries
    case connectTimeout = "connect-timeout"
    case stallTimeout = "stall-timeout"
    case minSpeed = "min-speed"
    case limit
    case maxTime = "max-time"
    case waitForNetwork = "wait-for-network"
    case noResume = "no-resume"
    case adopt

    package var isRepeatable: Bool {
        self == .header || self == .redirectHeader || self == .mirror
    }
}

/// An option with its value as text, and where it was given.
package struct OptionAssignment: Sendable {
    package var name: OptionName
    package var value: String
    /// `--checksum`, or `list.txt, line 3: checksum`: what an error begins with.
    package var place: String

    package init(_ name: OptionName, _ value: String, place: String? = nil) {
        self.name = name
        self.value = value
        self.place = place ?? "--\(name.rawValue)"
    }
}
