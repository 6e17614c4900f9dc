import PawlDaemon
import PawlWire

/// The tables of `AccessRules` and of the routes, as docs/security.md shows them.
enum AccessTable {
    /// All authorities; the token stands for any token.
    static let authorities: [(name: String, authority: Authority)] = [
        ("socket", .user), ("page", .page), ("`manage`", .token("own", .manage)),
        ("`add`", .token("own", .add)), ("`read`", .token("own", .read)), ("nobody", .nobody),
    ]

    /// All owners.
    static let owners: [DownloadOwner] = [.user, .page, .token("own"), .token("other")]

    /// A table with one row per demand and one column per authority.
    static var demands: String {
        var lines = [
            "| | | " + authorities.map(\.name).joined(separator: " | ") + " |",
            "| --- | --- |" + authorities.map { _ in " --- |" }.joined(),
        ]
        for demand in Demand.allCases {
            let cells = authorities.map { cell(demand, $0.authority) }
            lines.append(
                "| `\(demand.rawValue)` | \(demand.about) | \(cells.joined(separator: " | ")) |"
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A table of the demands that each route may make.
    static var routes: String {
        var lines = ["| route | demands |", "| --- | --- |"]
        let routes = APIRoute.all.sorted {
            ($0.path, $0.name) < ($1.path, $1.name)
        }
        for route in routes {
            let demands = route.demands.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            lines.append("| `\(route.name)` | \(demands) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func cell(_ demand: Demand, _ authority: Authority) -> String {
        func decision(_ owner: DownloadOwner?) -> AccessRules.Decision {
            AccessRules.decision(on: demand, by: authority, owner: owner)
        }
        let own = decision(authority.owner)
        let others = owners.filter { $0 != authority.owner }
        let decisions = Set(others.map { decision($0) })
        if decisions == [own] { return own.word }
        if decisions == [.refused] { return own == .allowed ? "own" : "own, \(own.word)" }
        return "yes; of the socket's \(decision(.user).word)"
    }
}

extension AccessRules.Decision {
    fileprivate var word: String {
        switch self {
        case .allowed: "yes"
        case .allowedInFolders: "in folders"
        case .refused: "no"
        }
    }
}
