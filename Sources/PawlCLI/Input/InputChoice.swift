internal import PawlCore

/// What the arguments of a command name: URLs of files, and lists of downloads.
struct InputChoice: Sendable {
    private(set) var urls: [String] = []
    /// The paths and URLs of lists.
    private(set) var lists: [String] = []
    let reading: InputList.Reading
    /// The content of the only list, if it was read to find out whether it is long.
    var content: [UInt8]?

    /// `followsMetalinks`: whether an argument that names a Metalink stands for the files that it
    /// describes.
    init(
        _ arguments: [String],
        list: String?,
        followsMetalinks: Bool,
        _ reading: InputList.Reading
    ) {
        self.reading = reading
        for argument in arguments {
            if followsMetalinks, Self.isMetalink(argument) {
                lists.append(argument)
            } else {
                urls.append(argument)
            }
        }
        if let list { lists.append(list) }
    }

    private static func isMetalink(_ argument: String) -> Bool {
        let path = AddressParts(argument).path.lowercased()
        return path.hasSuffix(".meta4") || path.hasSuffix(".metalink")
    }
}
