package import PawlCore
package import struct FoundationEssentials.URL

/// One download as it was ordered, checked as far as can be without touching anything.
package struct DownloadOrder: Sendable {
    package var url: URL
    package var destination: Destination
    package var settings: DownloadSettings
    package var passwordIsMissing: Bool

    package init(
        _ text: String,
        _ options: OrderSettings,
        place: String? = nil
    ) throws(DownloadError) {
        let (url, credentials) = try readSource(text, place: place)
        self.url = url
        settings = options.settings
        // What --user says goes before what the URL says, as with curl.
        settings.credentials = settings.credentials ?? credentials
        passwordIsMissing = options.passwordIsMissing
        try Self.checkAdoption(settings, place: place)
        if let output = options.output {
            destination = .file(
                try OutputPath.joined(output: output, directory: options.directory)
            )
        } else {
            destination = .directory(options.directory ?? ".")
        }
    }
}

extension DownloadOrder {
    /// What two orders have in common that are for the same bytes in the same place.
    fileprivate struct Place: Hashable {
        var url: String
        var destination: Destination
    }

    fileprivate var place: Place {
        let text = url.absoluteString.utf8
        // The fragment, which no server sees, is left out.
        let end = text.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
        return Place(url: String(Substring(text[..<end])), destination: destination)
    }

    /// Whether another order for the same place asks for the same bytes in the same way.
    fileprivate func repeats(_ other: DownloadOrder) -> Bool {
        settings.credentials == other.settings.credentials
            && settings.checksum == other.settings.checksum
            && settings.fields == other.settings.fields
            && settings.mirrors == other.settings.mirrors
    }

    private static func checkAdoption(
        _ settings: DownloadSettings,
        place: String?
    ) throws(DownloadError) {
        guard settings.adoptsPartialFile else { return }
        let start = place.map { "\($0): " } ?? ""
        guard settings.resumes else {
            throw DownloadError(
                .usage,
                "\(start)--adopt and --no-resume exclude each other",
                advice: "give one of the two"
            )
        }
        guard settings.checksum.isGiven else {
            throw DownloadError(
                .usage,
                "\(start)--adopt without --checksum: nothing else can prove another tool's bytes",
                advice: "add --checksum algorithm=hex"
            )
        }
    }
}

/// All downloads of a run, in the order given: the command line's, then the list's.
package struct OrderBook: Sendable {
    package private(set) var orders: [DownloadOrder] = []
    /// What the user is to be told of the orders.
    package private(set) var notes: [String] = []

    package init(
        urls: [String],
        list: InputList?,
        options: [OptionAssignment]
    ) throws(DownloadError) {
        var common = OrderSettings()
        for option in options { try common.apply(option) }
        try Self.checkExclusions(urls: urls, list: list, common: common)
        for url in urls { orders.append(try DownloadOrder(url, common)) }
        for entry in list?.entries ?? [] { try add(entry, common) }
        try dropRepeated()
        try checkOutputsDiffer()
    }

    /// The name whose password is still to be asked for.
    package var nameWithoutPassword: String? {
        orders.first(where: \.passwordIsMissing)?.settings.credentials?.name
    }

    package mutating func fill(password: String) {
        for index in orders.indices where orders[index].passwordIsMissing {
            orders[index].settings.credentials?.password = password
            orders[index].passwordIsMissing = false
        }
    }

    private mutating func add(
        _ entry: InputList.Entry,
        _ common: OrderSettings
    ) throws(DownloadError) {
        var options = common
        for option in entry.options {
            try options.apply(option)
            guard option.name != "user" || !options.passwordIsMissing else {
                throw DownloadError(
                    .usage,
                    "\(option.place): no password",
                    advice: "write user=name:password"
                )
            }
        }
        orders.append(try DownloadOrder(entry.url, options, place: entry.place))
    }

    private static func checkExclusions(
        urls: [String],
        list: InputList?,
        common: OrderSettings
    ) throws(DownloadError) {
        guard !urls.isEmpty || list != nil else {
            throw DownloadError(
                .usage,
                "no URL given",
                advice: "write pawl https://…, or see pawl --help"
            )
        }
        if common.output != nil {
            guard list == nil else {
                throw DownloadError(
                    .usage,
                    "--output and --input-file exclude each other",
                    advice: "write output=name below a URL in the list"
                )
            }
            guard urls.count == 1 else {
                throw DownloadError(
                    .usage,
                    "--output with \(urls.count) URLs",
                    advice: "use --directory for several, or one URL a command"
                )
            }
        }
        guard urls.count + (list?.entries.count ?? 0) > 1 else { return }
        guard common.settings.mirrors.isEmpty else {
            throw DownloadError(
                .usage,
                "--mirror with several URLs",
                advice: "write mirror=… below each URL in a list for --input-file"
            )
        }
        guard !common.settings.checksum.isGiven else {
            throw DownloadError(
                .usage,
                "--checksum with several URLs",
                advice: "write checksum=… below each URL in a list for --input-file"
            )
        }
    }

    /// The same URL for the same place is fetched once.
    private mutating func dropRepeated() throws(DownloadError) {
        var counts: [DownloadOrder.Place: Int] = [:]
        var indices: [DownloadOrder.Place: Int] = [:]
        var first: [DownloadOrder] = []
        for order in orders {
            let place = order.place
            counts[place, default: 0] += 1
            guard let index = indices[place] else {
                indices[place] = first.count
                first.append(order)
                continue
            }
            guard order.repeats(first[index]) else {
                throw DownloadError(
                    .usage,
                    "\(shownSource(order.url)) is given twice for one place, with different options",
                    advice: "give each its own output, or leave one of them out"
                )
            }
        }
        guard first.count < orders.count else { return }
        orders = first
        notes = first.compactMap { order in
            guard let count = counts[order.place], count > 1 else { return nil }
            let often = count == 2 ? "twice" : "\(count) times"
            return "\(shownSource(order.url)) is given \(often): it is fetched once"
        }
    }

    /// Two downloads to one file would only lock each other out.
    private func checkOutputsDiffer() throws(DownloadError) {
        var seen: Set<Destination> = []
        for order in orders {
            guard case .file(let path) = order.destination else { continue }
            guard seen.insert(order.destination).inserted else {
                throw DownloadError(
                    .usage,
                    "two downloads are to become '\(path)'",
                    advice: "give each its own output"
                )
            }
        }
    }
}

extension DownloadOrder {
    /// What the download is called until the server has named the file.
    package var workingName: String { destination.workingName(for: url) }
}
