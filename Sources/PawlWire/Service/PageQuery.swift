package import PawlCore

/// The requested part of a list: a number of elements, after a given one.
package struct PageQuery: Sendable, Hashable {
    /// The value of `next` in the page before; `nil` for the first page.
    package var cursor: String?
    package var limit: Int

    package static let mostLimit = 1000

    /// Creates a query from parameters.
    ///
    /// `name` is the list's name for the cursor. Throws `.usage`.
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
            // The route has refused parameters that it does not have.
            default: break
            }
        }
    }

    /// Returns the page of an ordered list, and the name of its last element if more follow.
    package func page<Element>(
        of all: [Element],
        by name: (Element) -> String
    ) -> (elements: [Element], next: String?) {
        let rest = all.drop { element in cursor.map { name(element) <= $0 } ?? false }
        let page = rest.prefix(limit)
        return (Array(page), page.count < rest.count ? page.last.map(name) : nil)
    }
}
