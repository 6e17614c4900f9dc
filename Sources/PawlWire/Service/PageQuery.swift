package import PawlCore

/// Which part of a list is wanted: so many, behind one that was seen.
package struct PageQuery: Sendable, Hashable {
    /// What the page before gave as `next`; nil is the beginning.
    package var cursor: String?
    package var limit: Int

    package static let mostLimit = 1000

    /// Throws `.usage`; the cursor goes by the name that the list has for it.
    package init(
        parameters: [(name: String, value: String)],
        cursor name: String = "after",
        limit: Int = mostLimit
    ) throws(DownloadError) {
        self.limit = limit
        for parameter in parameters {
            let value = parameter.value
            switch parameter.name {
            case name: cursor = value
            case "limit":
                self.limit = try QueryText.number("limit", value, in: 1...Int64(Self.mostLimit))
            default:
                throw DownloadError(
                    .usage,
                    "'\(parameter.name.sanitized(atMost: 40))' is no parameter of the list",
                    advice: "use \(name) or limit"
                )
            }
        }
    }

    /// The page of what is in order already, and the name of its last one where there are more.
    package func page<Element>(
        of all: [Element],
        by name: (Element) -> String
    ) -> (elements: [Element], next: String?) {
        let rest = all.drop { element in cursor.map { name(element) <= $0 } ?? false }
        let page = rest.prefix(limit)
        return (Array(page), page.count < rest.count ? page.last.map(name) : nil)
    }
}
