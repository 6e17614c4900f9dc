import FoundationEssentials
import Glibc
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AccessRulesTests {
    private let page = Authority.page
    private let adder = Authority.token("tool", .add)
    private let manager = Authority.token("main", .manage)

    private func decision(
        _ demand: Demand,
        _ authority: Authority,
        _ owner: DownloadOwner? = nil
    ) -> AccessRules.Decision {
        AccessRules.decision(on: demand, by: authority, owner: owner)
    }

    @Test func `without credentials only the page's files and the login are open`() {
        for demand in Demand.allCases {
            for owner in [nil, .user, .page, .token("tool")] as [DownloadOwner?] {
                let expected: AccessRules.Decision = demand == .open ? .allowed : .refused
                #expect(decision(demand, .nobody, owner) == expected, "\(demand)")
            }
        }
    }

    @Test func `only the user and a token of the widest scope end the daemon`() {
        #expect(decision(.shutDown, .user) == .allowed && decision(.shutDown, manager) == .allowed)
        for authority in [page, adder, .token("tool", .read), .nobody] {
            #expect(decision(.shutDown, authority) == .refused)
        }
    }

    @Test func `the logs are for the user, the page and tokens that manage`() {
        for authority in [.user, page, manager] {
            #expect(decision(.readAuditLog, authority) == .allowed)
        }
        for authority in [adder, .token("tool", .read), .nobody] {
            #expect(decision(.readAuditLog, authority) == .refused)
        }
    }

    @Test func `only the socket gives access to secrets, files and commands`() {
        let closed: [Demand] = [
            .readSecrets, .addFromFiles, .setCommand, .changeBounds, .letIn,
        ]
        for demand in closed {
            #expect(decision(demand, .user) == .allowed)
            for authority in [page, manager, adder, .token("tool", .read)] {
                for owner in AccessTable.owners + [.token("tool"), .token("main")] {
                    #expect(decision(demand, authority, owner) == .refused, "\(demand)")
                }
            }
        }
    }

    /// A narrower scope that allows more than a wider one would be a mistake in the table.
    @Test func `a wider scope allows everything that a narrower one does`() {
        func rank(_ decision: AccessRules.Decision) -> Int {
            switch decision {
            case .refused: 0
            case .allowedInFolders: 1
            case .allowed: 2
            }
        }
        for demand in Demand.allCases {
            for owner in AccessTable.owners {
                let ranks = [
                    Authority.nobody, .token("own", .read), .token("own", .add),
                    .token("own", .manage),
                ].map { rank(decision(demand, $0, owner)) }
                #expect(ranks == ranks.sorted(), "\(demand) of \(owner)")
            }
        }
    }

    @Test func `a token that may add changes only its own downloads`() {
        for demand in [Demand.control, .remove, .discard, .readdress, .rename, .describe] {
            #expect(decision(demand, adder, .token("tool")) != .refused)
            for owner in [DownloadOwner.user, .page, .token("other"), .token("main")] {
                #expect(decision(demand, adder, owner) == .refused, "\(demand) of \(owner)")
            }
        }
    }

    @Test func `a session belongs to its registrant, and the user may end it, too`() {
        for (authority, owner) in [
            (Authority.user, DownloadOwner.user), (page, .page), (manager, .token("main")),
        ] {
            for other in [DownloadOwner.user, .page, .token("main"), .token("x")] {
                let isOwn = other == owner
                #expect((decision(.useSession, authority, other) == .allowed) == isOwn)
                let mayForget = isOwn || authority == .user
                #expect((decision(.forgetSession, authority, other) == .allowed) == mayForget)
            }
        }
    }

    @Test func `only the user undoes the removals of everyone`() {
        #expect(Authority.user.undoableRemovals == .all)
        #expect(page.undoableRemovals == .of(.page))
        #expect(adder.undoableRemovals == .of(.token("tool")))
        #expect(Authority.nobody.undoableRemovals == .nothing)
    }

    @Test func `an owner is read as it was written`() {
        for owner in [DownloadOwner.user, .page, .token("a"), .token("user"), .token("")] {
            #expect(DownloadOwner(owner.text) == owner)
        }
        #expect(DownloadOwner("root") == nil)
    }

    // MARK: - The document

    private static let document: String = {
        let root = "\(#filePath)".split(separator: "/Tests/").first ?? ""
        return "\(root)/docs/security.md"
    }()

    /// `PAWL_RECORD=1` writes the tables into the document.
    @Test func `docs security md contains the tables that the function prints`() throws {
        var text = try String(contentsOfFile: Self.document, encoding: .utf8)
        for (name, table) in [("demands", AccessTable.demands), ("routes", AccessTable.routes)] {
            let (opening, closing) = ("<!-- table: \(name) -->\n", "<!-- end: \(name) -->\n")
            let start = try #require(text.firstRange(of: opening)).upperBound
            let end = try #require(text.firstRange(of: closing)).lowerBound
            if getenv("PAWL_RECORD").map({ String(cString: $0) }) == "1" {
                text.replaceSubrange(start..<end, with: table)
                try text.write(toFile: Self.document, atomically: true, encoding: .utf8)
            } else {
                #expect(String(text[start..<end]) == table)
            }
        }
    }
}
