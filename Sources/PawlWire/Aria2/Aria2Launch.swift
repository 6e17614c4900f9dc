/// What the program `aria2c` hands over to the daemon that it becomes.
package struct Aria2Launch: Codable, Sendable, Hashable {
    /// An option of aria2, without hyphens.
    package struct Option: Codable, Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// A download as `aria2.addUri` gets it: the URIs of one file, and its options.
    package struct Download: Codable, Sendable, Hashable {
        package var uris: [String]
        package var options: [Option]

        package init(uris: [String], options: [Option] = []) {
            (self.uris, self.options) = (uris, options)
        }
    }

    /// aria2's secret.
    package var secret: String
    /// The options of the command line and of aria2's configuration file.
    package var options: [Option]
    /// The downloads that the command line and aria2's list name.
    package var downloads: [Download]
    /// The process whose end also ends the daemon; `nil` for none.
    package var stopProcess: Int32?
    /// The number of seconds after which the daemon ends; `nil` for no limit.
    package var stopSeconds: Int?

    package init(secret: String, options: [Option], downloads: [Download]) {
        (self.secret, self.options, self.downloads) = (secret, options, downloads)
    }
}
